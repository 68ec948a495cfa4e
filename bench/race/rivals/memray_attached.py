"""memray attach: the same, of a process that runs already.

The way of its documentation: `memray attach`, `memray detach`, a report with --leaks.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from answer import Answer

from rivals.memray_tracker import leaks, read

NAME = "memray attach"
PACKAGES = ("memray",)
RESTART = False
COMMANDS = 3
SECONDS = 3.0


def attach(process: int, folder: Path) -> Answer:
    """Type these commands."""
    file, memray = folder / "attached.bin", [sys.executable, "-m", "memray"]
    traced = ["--trace-python-allocators", "-f", "-o", str(file)]
    subprocess.run([*memray, "attach", *traced, str(process)], check=True)
    begin = time.monotonic()
    time.sleep(SECONDS)
    subprocess.run([*memray, "detach", str(process)], check=True)
    return read(leaks(file), time.monotonic() - begin)
