"""tracemalloc: the tracebacks whose memory grew.

The way of the standard library's documentation: 25 frames, two snapshots, "Compute
differences" and "Get the traceback of a memory block".
"""

from __future__ import annotations

import re
import tracemalloc

from answer import Answer, Program

NAME = "tracemalloc"
PACKAGES = ()
RESTART = True
COMMANDS = 0
GAIN = re.compile(r"\(([+-][\d.]+) (B|KiB|MiB|GiB)\)")
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def look(program: Program) -> Answer:
    """Add these lines to the program."""
    tracemalloc.start(25)
    before = tracemalloc.take_snapshot()
    program.run()
    after = tracemalloc.take_snapshot()
    program.out.mark()
    for stat in after.compare_to(before, "traceback")[:10]:
        print(stat, *stat.traceback.format(), sep="\n")
    return read(program, program.out.said())


def read(program: Program, text: str) -> Answer:
    """Read each traceback with its gain."""
    entries = re.split(r"\n(?! )", text)
    gains = [GAIN.search(entry) for entry in entries]
    sizes = [float(found[1]) * UNITS[found[2]] for found in gains if found]
    return Answer(site=entries, rate=[size / program.total for size in sizes])
