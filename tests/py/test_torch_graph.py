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


@pytest.fixture(scope="module")
def modified(warm):
    """Map each case to the facts about its graph, and to what backward() does."""
    done = warm("torch").isolated("torch_modified.py")
    assert done.code == 0, done.err
    return dict(re.findall(r"^(.+) (\d+ \w+)$", done.out, re.M))


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ("nothing", "0 runs"),
        ("input", "1 fails"),
        ("own output", "1 fails"),
        ("weight", "1 fails"),
        ("detached", "1 fails"),
        ("apart", "0 runs"),
        ("view", "1 fails"),
        ("function", "1 fails"),
        ("list", "3 fails"),
    ],
)
def test_modified(modified, case, expected):
    assert modified[case] == expected
