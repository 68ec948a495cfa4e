"""The autograd graph, read from memory, is the one that PyTorch's getters show."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.libraries

ISOLATED = Path(__file__).with_name("isolated")
GRAPHS = (ISOLATED / "torch_graphs.py").read_text()
NAMES = re.findall(r"^        (\w+),$", GRAPHS, re.M)


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    """Each graph's verdict, by name: all in one process, after one import."""
    done = subprocess.run(
        [sys.executable, ISOLATED / "torch_walk.py"],
        cwd=tmp_path_factory.mktemp("torch"),
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_there_are_graphs():
    assert len(NAMES) > 25


@pytest.mark.parametrize("name", NAMES)
def test_graph(walked, name):
    assert re.search(rf"^{name} right \d+ \d+$", walked, re.M), walked
