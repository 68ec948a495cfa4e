"""Small views of one array in a dict, and one in a class."""

import sys

import numpy

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


class Settings:
    """Keeps the first row."""


table = numpy.zeros((4000, 100))
rows = {number: table[number] for number in range(0, 4000, 400)}
Settings.first = table[0]
if fixed:
    rows = {number: row.copy() for number, row in rows.items()}
    Settings.first = Settings.first.copy()
del table

print(leakgraph.findings())
