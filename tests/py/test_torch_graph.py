"""The autograd graph, read from memory, matches PyTorch's getters."""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.libraries

ISOLATED = Path(__file__).with_name("isolated")
GRAPHS = (ISOLATED / "torch_graphs.py").read_text()
NAMES = re.findall(r"^        (\w+),$", GRAPHS, re.M)


@pytest.fixture(scope="module")
def walked(warm):
    """Map each graph's name to its verdict: one process checks all with one import."""
    done = warm("torch").isolated("torch_walk.py")
    assert done.code == 0, done.err
    return done.out


def test_there_are_graphs():
    assert len(NAMES) > 25


@pytest.mark.parametrize("name", NAMES)
def test_graph(walked, name):
    assert re.search(rf"^{name} right \d+ \d+$", walked, re.M), walked
