"""A new class at each call: the records keep all of these classes.

python examples/leaks/per_call_classes.py [fixed]
"""

import sys
from functools import lru_cache

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


def record_class(fields):
    """Makes a class with these fields."""

    class Record:
        """A row of a table."""

        __slots__ = tuple(fields)

        def __init__(self, *values):
            for name, value in zip(fields, values):
                setattr(self, name, value)

        def __repr__(self):
            return "Record"

    return Record


if fixed:
    record_class = lru_cache(maxsize=4)(record_class)

rows = []
for number in range(60):
    rows.append(record_class(("x", "y"))(number, -number))

print(leakgraph.findings())
