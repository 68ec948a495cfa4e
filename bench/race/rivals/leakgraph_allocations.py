"""leakgraph while tracemalloc traces: who holds what each line allocated.

The way of its documentation: a snapshot with the lines that allocated, and
allocations().
"""

from __future__ import annotations

import re
import tracemalloc

from answer import Answer, Program, amount

import leakgraph

NAME = "leakgraph, tracing"
PACKAGES = ()
RESTART = True
COMMANDS = 0
CLAIMS = ("holder", "site", "rate")
#: A row of a line; rows of its holders follow, if there are several.
ROW = re.compile(r"^ *([\d.,]+) (B|KiB|MiB|GiB) +[\d,]+  (?! )")


def look(program: Program) -> Answer:
    """Add these lines to the program."""
    tracemalloc.start(25)
    program.run()
    program.out.mark()
    print(leakgraph.snapshot(allocations=True).allocations())
    return read(program, program.out.said())


def read(program: Program, text: str) -> Answer:
    """Read the rows, each with the lines that continue it."""
    entries: list[str] = []
    sizes: list[float] = []
    for line in text.splitlines()[1:]:
        if row := ROW.match(line):
            entries.append(line)
            sizes.append(amount(row[1], row[2]))
        elif entries and line.startswith(" "):
            entries[-1] += "\n" + line
    rates = [size / program.total for size in sizes]
    return Answer(holder=entries, site=entries, rate=rates)
