"""tracemalloc: the tracebacks whose memory grew.

The way of the standard library's documentation: 25 frames, two snapshots, "Compute
differences" and "Get the traceback of a memory block".
"""

from __future__ import annotations

import re
import tracemalloc

from answer import Answer, Program, amount

NAME = "tracemalloc"
PACKAGES = ()
RESTART = True
COMMANDS = 0
CLAIMS = ("site", "rate")
GAIN = re.compile(r"\(([+-][\d.]+) (B|KiB|MiB|GiB)\)")


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
    sizes = [amount(found[1], found[2]) for found in gains if found]
    return Answer(site=entries, rate=[size / program.total for size in sizes])
