"""Large captures use a second thread if there are two processors."""

import pytest
from builds import FREE_THREADED

pytestmark = [
    pytest.mark.ends,
    pytest.mark.skipif(FREE_THREADED, reason="a capture there uses one thread"),
]


@pytest.mark.parametrize("method", ["", "public"])
def test_one_thread_and_two_find_the_same(isolated, method):
    done = isolated("two_threads.py", LEAKGRAPH_CAPTURE=method)
    assert done.code == 0, done.err
    assert done.out == "fine\n"
