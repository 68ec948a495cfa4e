"""guppy3: the objects made since a reference point, then the shortest path to one.

The way of its documentation: setref(), heap(), and `.sp` of a part of the answer.
"""

from __future__ import annotations

import re

import guppy
from answer import Answer, Program, interesting

NAME = "guppy3"
PACKAGES = ("guppy3",)
RESTART = True
COMMANDS = 0
CLAIMS = ("holder", "type", "rate")
TOTAL = re.compile(r"Total size = (\d+) bytes")
ROW = re.compile(r"^ *\d+ +(\d+) +\d+ +(\d+) +\d+ +\d+ +\d+ (.+)$", re.MULTILINE)


def look(program: Program) -> Answer:
    """Add these lines to the program."""
    hp = guppy.hpy()
    hp.setref()
    program.run()
    heap = hp.heap()
    program.out.mark()
    print(heap)
    table = program.out.said()
    program.out.mark()
    print(heap[followed(table, program.total)].byid[0].sp)
    return read(program, table, program.out.said())


def followed(table: str, calls: int) -> int:
    """Pick the row to follow."""
    rows = ROW.finditer(table)
    return interesting([(row[3].split(" (")[0], float(row[1])) for row in rows], calls)


def read(program: Program, table: str, path: str) -> Answer:
    """Read the total and the rows, and the paths as they are printed."""
    total, rows = TOTAL.findall(table), list(ROW.finditer(table))
    sizes = [float(size) for size in (*total, *(row[2] for row in rows[:2]))]
    return Answer(
        holder=path.splitlines(),
        type=[row[3] for row in rows],
        rate=[size / program.total for size in sizes],
    )
