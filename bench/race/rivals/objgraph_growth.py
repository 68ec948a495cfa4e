"""objgraph: what grew, then a chain of references to one of them.

The way of its documentation: show_growth(), by_type(), and a chain of references.
"""

from __future__ import annotations

import io
import re

import objgraph
from answer import Answer, Program, interesting

NAME = "objgraph"
PACKAGES = ("objgraph",)
RESTART = True
COMMANDS = 0
CLAIMS = ("holder", "type", "honest")
ROW = re.compile(r"^(\S+) +(\d+) +\+(\d+)$", re.MULTILINE)


def look(program: Program) -> Answer:
    """Add these lines to the program."""
    objgraph.show_growth(limit=3)
    for _ in range(program.rounds):
        program.round()
        program.out.mark()
        objgraph.show_growth()
    growth = program.out.said()
    picture = io.StringIO()
    if name := followed(growth, program.calls):
        x = objgraph.by_type(name)[-1]
        chain = objgraph.find_backref_chain(x, objgraph.is_proper_module)
        objgraph.show_chain(chain, output=picture)
    return read(program, growth, picture.getvalue())


def followed(growth: str, calls: int) -> str:
    """Pick a type that grew."""
    rows = [(row[1], float(row[3])) for row in ROW.finditer(growth)]
    return rows[interesting(rows, calls)][0] if rows else ""


def read(program: Program, growth: str, picture: str) -> Answer:
    """Read the table, and the labels of the picture."""
    print(picture)
    rows = list(ROW.finditer(growth))
    labels = " ".join(re.findall(r'label="([^"]*)"', picture))
    accuses = any(int(row[3]) * 10 >= program.calls for row in rows)
    return Answer([labels], [row[0] for row in rows], accuses=accuses)
