"""matplotlib: each case runs in a process of its own, see isolated/figures.py."""

from pathlib import Path

import pytest
from builds import needs

import leakgraph

SCRIPT = Path(__file__).parent / "isolated" / "figures.py"
CASES = [
    "fifty",
    "traced",
    "sizes",
    "pixels",
    "cells",
    "saved",
    "holders",
    "closed",
    "parts",
    "unchanged",
    "mistakes",
    "elsewhere",
]


@needs("matplotlib")
@pytest.mark.libraries
@pytest.mark.parametrize("case", CASES)
def test_matplotlib(warm, case):
    done = warm("matplotlib.pyplot").run(SCRIPT, case)
    assert done.code == 0 and done.out == "right\n", done.err


def test_without_matplotlib_there_is_no_figure(snap):
    figures = snap.figures()
    assert len(figures) == 0 == len(figures.rows)
    assert str(figures) == "There is no figure of matplotlib.\n"
    assert figures._repr_html_() == "<p>There is no figure of matplotlib.</p>"
    with pytest.raises(TypeError):
        leakgraph.figures(1, True)
