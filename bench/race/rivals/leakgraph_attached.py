"""leakgraph attach: the same, of a process that runs already.

The way of its documentation: `leakgraph attach PID --diff N --every S`.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from answer import Answer

from rivals.leakgraph_repeat import read

NAME = "leakgraph attach"
PACKAGES = ()
RESTART = False
COMMANDS = 1
EVERY = 1


def attach(process: int, folder: Path) -> Answer:
    """Type this command."""
    files = str(folder / "{n}.lgs")
    command = ["leakgraph", "attach", str(process), "-o", files]
    command += ["--diff=4", f"--every={EVERY}"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    print(done.stdout + done.stderr)
    answer = read(done.stdout)
    times = [(folder / f"{n}.lgs").stat().st_mtime for n in (1, 4)]
    answer.rate = [size * 3 / (times[1] - times[0]) for size in answer.rate or []]
    return answer
