"""What growth says to empty is emptied in a fork, and then what grew is gone."""

import pytest

pytestmark = pytest.mark.ends

#: Programs in which a container was not named, was below another one, or counted what
#: comes into a list beside it.
SEEDS = (20, 73, 85, 126, 145, 184, 185, 236, 242, 245, 281, 304, 346)


def test_what_grows_in_random_programs_goes_when_all_its_holders_are_empty(isolated):
    done = isolated("random_leaks.py", *map(str, SEEDS))
    leaks, word = done.out.splitlines()[-1].split()
    assert (done.out.count("\n"), word) == (1, "leaks"), done.out + done.err
    assert int(leaks) >= len(SEEDS)
