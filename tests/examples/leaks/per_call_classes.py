"""collections.namedtuple() at each call."""

import collections
import sys

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
known = {}


def row(**values):
    names = tuple(values)
    if fixed:
        kind = known.setdefault(names, None) or collections.namedtuple("Row", names)
        known[names] = kind
    else:
        kind = collections.namedtuple("Row", names)
    return kind(**values)


class Page:
    def __init__(self):
        self.rows = {number: row(width=number, height=number) for number in range(40)}


page = Page()
print(leakgraph.findings())
