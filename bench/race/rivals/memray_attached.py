"""memray attach: the same, of a process that runs already.

The way of its documentation: `memray attach --duration`, then a report with --leaks.
It needs gdb or lldb, or CPython 3.14. It prefers gdb, but gdb 13 cannot call a function
in a process on a processor with AMX: "Couldn't write extended state status". Either one
waits until the process calls an allocator of C, which some programs never do.
"""

from __future__ import annotations

import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path

import memray
from answer import Answer
from typed import PATIENCE, typed

from rivals.memray_tracker import leaks, read

NAME = "memray attach"
PACKAGES = ("memray",)
RESTART = False
COMMANDS = 2
CLAIMS = ("site", "rate")
SECONDS = 3


def attach(process: int, folder: Path) -> Answer:
    """Type these commands."""
    file, command = folder / "attached.bin", [sys.executable, "-m", "memray", "attach"]
    traced = ["--trace-python-allocators", "-f", "-o", str(file)]
    method = ["--method", "lldb"] if shutil.which("lldb") else []
    duration = ["--duration", str(SECONDS)]
    typed([*command, *traced, *duration, *method, str(process)], process)
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
