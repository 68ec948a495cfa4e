"""tracemalloc: the lines whose memory grew.

The way of the standard library's documentation, "Compute differences".
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
    tracemalloc.start()
    before = tracemalloc.take_snapshot()
    program.run()
    after = tracemalloc.take_snapshot()
    program.out.mark()
    for stat in after.compare_to(before, "lineno")[:10]:
        print(stat)
    return read(program, program.out.said().splitlines())


def read(program: Program, lines: list[str]) -> Answer:
    """Read each line and its gain."""
    gains = [GAIN.search(line) for line in lines]
    sizes = [float(found[1]) * UNITS[found[2]] for found in gains if found]
    return Answer(site=lines, rate=[size / program.total for size in sizes])
