"""A snapshot changes nothing of PyTorch's, and calls no code of the user's."""

import pytest

pytestmark = pytest.mark.libraries


@pytest.mark.parametrize(
    "case", ["state", "modes", "half", "views", "broken", "first", "held"]
)
def test_observer(isolated, case):
    done = isolated("torch_observer.py", case)
    assert (done.code, done.out) == (0, "right\n"), done.err
