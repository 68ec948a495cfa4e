"""memray attach: the same, of a process that runs already.

The way of its documentation: `memray attach --duration`, then a report with --leaks.
It needs gdb or lldb, or CPython 3.14. It prefers gdb, but gdb 13 cannot call a function
in a process on a processor with AMX: "Couldn't write extended state status".
"""

from __future__ import annotations

import shutil
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
    method = ["--method", "lldb"] if shutil.which("lldb") else []
    subprocess.run([*command, *traced, *duration, *method, str(process)], check=True)
    begin, end = tracked(file)
    answer = read(leaks(file), end - begin)
    answer.looked = (begin, end)
    return answer


def tracked(file: Path) -> tuple[float, float]:
    """Wait until the file is whole; return the times that it tells of."""
    for _ in range(PATIENCE):
        time.sleep(1)
        told = memray.FileReader(file).metadata
        begin, end = told.start_time.timestamp(), told.end_time.timestamp()
        if end - begin >= SECONDS:
            return begin, end
    raise TimeoutError(f"{file} does not end")
