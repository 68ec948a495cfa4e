"""Parameters have their names."""

import pytest

pytestmark = pytest.mark.libraries


def test_names(warm):
    done = warm("torch._dynamo").isolated("torch_names.py")
    assert (done.code, done.out) == (0, "right\n"), done.err
