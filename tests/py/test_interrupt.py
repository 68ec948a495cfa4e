"""A real Ctrl-C stops a long analysis."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.ends

SCRIPT = Path(__file__).parent / "isolated" / "interrupted.py"


def test_ctrl_c_stops_an_analysis_and_leaves_the_snapshot_whole():
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT)], stdout=subprocess.PIPE, text=True
    )
    with process.stdout as out:
        for line in out:
            if line != "press\n":
                break
            os.kill(process.pid, signal.SIGINT)
    assert process.wait() == 0 and line == "analysed\n"


#: Counts how often Python's handler runs while one call looks for objects.
HANDLED = """
import contextlib, random, signal
import leakgraph

random.seed(1)
calls = []
signal.signal(signal.SIGALRM, lambda *_: calls.append(1))

def count(component):
    for node in component:
        node.extend(random.choices(component, k=3))
    snapshot = leakgraph.snapshot()
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    calls.clear()
    with contextlib.suppress(leakgraph.NotFoundError):
        snapshot.select("the interpreter")
    handled = len(calls)
    signal.setitimer(signal.ITIMER_REAL, 0)
    return handled

size, handled = 15_000, 0
while handled < 4 and size < 1_000_000:
    size *= 2
    handled = count([[] for _ in range(size)])
print(handled >= 4)
"""


def test_handlers_run_while_a_selector_analyses(python):
    """Without them, at most one runs before and one after the analysis."""
    done = python("-c", HANDLED)
    assert (done.code, done.out) == (0, "True\n"), done.err
