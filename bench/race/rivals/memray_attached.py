"""memray attach: the same, of a process that runs already.

The way of its documentation: `memray attach --duration`, then a report with --leaks.
It needs gdb or lldb, or CPython 3.14. It prefers gdb, but gdb 13 cannot call a function
in a process on a processor with AMX: "Couldn't write extended state status". Either one
waits until the process calls an allocator of C, which some programs never do.
"""

from __future__ import annotations

import os
import shutil
import signal
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
#: It attaches within so many seconds, and the file is whole so many later, or never.
PATIENCE = 60


def attach(process: int, folder: Path) -> Answer:
    """Type these commands."""
    file, command = folder / "attached.bin", [sys.executable, "-m", "memray", "attach"]
    traced = ["--trace-python-allocators", "-f", "-o", str(file)]
    duration = ["--duration", str(SECONDS)]
    method = ["--method", "lldb"] if shutil.which("lldb") else []
    start(process, [*command, *traced, *duration, *method, str(process)])
    begin, end = tracked(file)
    answer = read(leaks(file), end - begin)
    answer.looked = (begin, end)
    return answer


def start(process: int, command: list[str]) -> None:
    """Run the command; if it does not get there, end it and wait for its debugger.

    A debugger that ends keeps the signals that the process gets meanwhile.
    """
    with subprocess.Popen(command, start_new_session=True) as child:
        try:
            code = child.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGTERM)
            while "TracerPid:\t0\n" not in Path(f"/proc/{process}/status").read_text():
                time.sleep(0.1)
            raise
    if code:
        raise subprocess.CalledProcessError(code, command)


def tracked(file: Path) -> tuple[float, float]:
    """Wait until the file is whole; return the times that it tells of."""
    for _ in range(PATIENCE):
        time.sleep(1)
        told = memray.FileReader(file).metadata
        begin, end = told.start_time.timestamp(), told.end_time.timestamp()
        if end - begin >= SECONDS:
            return begin, end
    raise TimeoutError(f"{file} does not end")
