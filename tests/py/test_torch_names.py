"""Parameters have their names."""

import pytest

pytestmark = pytest.mark.libraries


def test_names(isolated):
    done = isolated("torch_names.py")
    assert (done.code, done.out) == (0, "right\n"), done.err
