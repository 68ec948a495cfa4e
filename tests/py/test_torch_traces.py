"""Tests what TorchScript keeps of classes that a program traces."""

import pytest

pytestmark = pytest.mark.libraries


@pytest.mark.parametrize("native", ["native", "objects"])
def test_classes_of_traces_are_held_by_the_set_that_frees_them(warm, native):
    done = warm("torch").isolated("torch_traces.py", native)
    assert (done.code, done.out) == (0, "right\n"), done.err
