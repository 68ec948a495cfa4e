"""memray with native traces: the stacks of C functions whose memory is not freed.

The way of its documentation for code in C: a Tracker with native_traces, or `memray run
--native`, with Python's allocators traced, too, and then a report with --leaks.
"""

from __future__ import annotations

import memray
from answer import Answer, Program

from rivals.memray_tracker import leaks, read

NAME = "memray --native"
PACKAGES = ("memray",)
RESTART = True
COMMANDS = 1
CLAIMS = ("site", "rate")


def look(program: Program) -> Answer:
    """Add these lines to the program."""
    file = program.folder / "memray.bin"
    with memray.Tracker(file, native_traces=True, trace_python_allocators=True):
        program.run()
    return read(leaks(file), program.total)
