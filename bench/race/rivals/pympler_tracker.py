"""Pympler: what grew by type, then the tree of referrers of one of them.

The way of its documentation, "Identifying memory leaks": a tracker, and a browser.
"""

from __future__ import annotations

import re
import sys

from answer import Answer, Program, amount, interesting
from pympler import muppy, refbrowser, tracker

NAME = "Pympler"
PACKAGES = ("Pympler",)
RESTART = True
COMMANDS = 0
CLAIMS = ("holder", "type", "rate")
ROW = re.compile(r"^ *(.+?) \| +(-?\d+) \| +(-?[\d.]+) (B|KB|MB|GB) *$", re.MULTILINE)


def look(program: Program) -> Answer:
    """Add these lines to the program."""
    memory = tracker.SummaryTracker()
    memory.print_diff()
    program.run()
    program.out.mark()
    memory.print_diff()
    diff = program.out.said()
    program.out.mark()
    if name := followed(diff, program.total):
        found = [x for x in muppy.get_objects() if type(x).__name__ == name]
        refbrowser.ConsoleBrowser(
            found[-1], repeat=False, stream=sys.stdout
        ).print_tree()
    return read(program, diff, program.out.said())


def followed(diff: str, calls: int) -> str:
    """Pick a type that grew."""
    rows = [(row[1].split(" (")[0], float(row[2])) for row in ROW.finditer(diff)]
    name = rows[interesting(rows, calls)][0] if rows else ""
    return re.sub(r"^<\w+ '(.*)'>$", r"\1", name).rpartition(".")[2]


def read(program: Program, diff: str, tree: str) -> Answer:
    """Read the table, and the tree as one picture."""
    rows = list(ROW.finditer(diff))
    sizes = [amount(row[3], row[4]) / program.total for row in rows]
    return Answer(holder=[tree], type=[row[0] for row in rows], rate=sizes)
