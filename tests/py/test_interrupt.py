"""A real Ctrl-C stops a long analysis."""

import os
import signal
import subprocess
import sys
from pathlib import Path

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
