"""A column of a table, of which a few rows matter."""

import sys

import numpy
import pandas

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
tails = {}
for name in "ab":
    table = pandas.DataFrame(numpy.zeros((80_000, 2)), columns=["time", "value"])
    tail = table["value"].iloc[-20:]
    tails[name] = tail.copy() if fixed else tail
    del table, tail
print(leakgraph.findings())
