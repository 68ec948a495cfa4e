"""Two small slices of one DataFrame."""

import sys

import numpy
import pandas

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
frame = pandas.DataFrame(numpy.zeros((20_000, 8)))
head, tail = frame.iloc[:10], frame.iloc[-10:]
if fixed:
    head, tail = head.copy(), tail.copy()
del frame

print(leakgraph.findings())
