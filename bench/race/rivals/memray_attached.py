"""memray attach: the same, of a process that runs already.

The way of its documentation: `memray attach --duration`, then a report with --leaks.
It needs gdb, lldb or CPython 3.14; gdb 13 cannot call a function on a processor with
AMX. Debuggers wait until the process calls malloc, which some programs never do.
"""

from __future__ import annotations

import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path

import memray
from answer import Answer
from typed import typed

from rivals.memray_tracker import leaks, read

NAME = "memray attach"
PACKAGES = ("memray",)
RESTART = False
COMMANDS = 2
CLAIMS = ("site", "rate")
#: Seconds of the record; seconds until what the debugger waits for comes, or never.
SECONDS, PATIENCE = 3, 60


def attach(process: int, folder: Path) -> Answer:
    """Type these commands."""
    file, command = folder / "attached.bin", [sys.executable, "-m", "memray", "attach"]
    traced = ["--trace-python-allocators", "-f", "-o", str(file)]
    method = ["--method", "lldb"] if shutil.which("lldb") else []
    duration = ["--duration", str(SECONDS)]
    typed([*command, *traced, *duration, *method, str(process)], process, PATIENCE)
    begin, end = tracked(file)
    return replace(read(leaks(file), end - begin), looked=(begin, end))


def tracked(file: Path) -> tuple[float, float]:
    """Wait until the file is whole; return the times that it tells of."""
    for _ in range(5 * PATIENCE):
        time.sleep(0.2)
        told = memray.FileReader(file).metadata
        begin, end = told.start_time.timestamp(), told.end_time.timestamp()
        if end - begin >= SECONDS:
            return begin, end
    raise TimeoutError(f"{file} does not end")
