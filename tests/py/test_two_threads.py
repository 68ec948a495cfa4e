"""Large captures use a second thread if there are two processors."""

import pytest

pytestmark = pytest.mark.ends


@pytest.mark.parametrize("method", ["", "public"])
def test_one_thread_and_two_find_the_same(isolated, method):
    done = isolated("two_threads.py", LEAKGRAPH_CAPTURE=method)
    assert done.code == 0, done.err
    assert done.out == "fine\n"
