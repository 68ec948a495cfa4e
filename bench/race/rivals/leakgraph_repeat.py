"""leakgraph: the places that grow when a piece of work is repeated.

The way of its documentation: repeat().
"""

from __future__ import annotations

import re

from answer import Answer, Program, amount

import leakgraph

NAME = "leakgraph"
PACKAGES = ()
RESTART = True
COMMANDS = 0
CLAIMS = ("holder", "type", "rate", "honest")
RATE = re.compile(r"[\d.,]+ [KMG]?i?B +\+([\d.,]+) (B|KiB|MiB|GiB) ")
#: Otherwise the first line says that nothing grows, or what fills or has stopped.
ACCUSES = re.compile(r"[\d,]+ places? (grows?|grew)\b")
TYPES = re.compile(r"^Types that grew the most:\n.*\n((?: .*\n)+)", re.MULTILINE)


def look(program: Program) -> Answer:
    """Add these lines to the program."""
    program.out.mark()
    print(
        leakgraph.repeat(
            program.timed, warmup=0, rounds=program.rounds, calls=program.calls
        )
    )
    return read(program.out.said())


def read(text: str) -> Answer:
    """Read the rows of the first table, each with its lines, and of that of types."""
    entries: list[str] = []
    for line in text.split("\n\n")[1].splitlines()[1:] if "\n\n" in text else []:
        if RATE.match(line.strip()):
            entries.append(line)
        elif entries:
            entries[-1] += "\n" + line
    rates = [RATE.match(entry.strip()) for entry in entries]
    sizes = [amount(x[1], x[2]) for x in rates if x]
    accuses = ACCUSES.match(text) is not None
    types = TYPES.search(text)
    rows = types[1].splitlines() if types else []
    return Answer(entries, entries + rows, None, sizes, accuses)
