"""A process that trains in threads gives whole graphs, and does not crash."""

import re

import pytest

pytestmark = pytest.mark.libraries


def test_training(warm, tmp_path):
    done = warm("torch._dynamo").isolated("torch_training.py", str(tmp_path))
    assert done.code == 0, done.err
    assert re.fullmatch(r"right \d+\n", done.out)
    assert len(list(tmp_path.glob("*.lgs"))) == 1
