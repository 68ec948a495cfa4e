"""memray attach: the same, of a process that runs already.

The way of its documentation: `memray attach --duration`, then a report with --leaks.
It needs gdb or lldb, or CPython 3.14.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import memray
from answer import Answer

from rivals.memray_tracker import leaks, read

NAME = "memray attach"
PACKAGES = ("memray",)
RESTART = False
COMMANDS = 2
SECONDS = 3
#: The file is whole so many seconds later, or never.
PATIENCE = 60


def attach(process: int, folder: Path) -> Answer:
    """Type these commands."""
    file, command = folder / "attached.bin", [sys.executable, "-m", "memray", "attach"]
    traced = ["--trace-python-allocators", "-f", "-o", str(file)]
    duration = ["--duration", str(SECONDS)]
    subprocess.run([*command, *traced, *duration, str(process)], check=True)
    seconds = tracked(file)
    return read(leaks(file), seconds)


def tracked(file: Path) -> float:
    """Wait until the file is whole; return the seconds that it tells of."""
    for _ in range(PATIENCE):
        time.sleep(1)
        told = memray.FileReader(file).metadata
        seconds: float = (told.end_time - told.start_time).total_seconds()
        if seconds >= SECONDS:
            return seconds
    raise TimeoutError(f"{file} does not end")
