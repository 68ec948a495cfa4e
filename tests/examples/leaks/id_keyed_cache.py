"""Sizes of arrays by id, with the arrays."""

import collections
import sys

import numpy

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


class Layout:
    def __init__(self):
        self.known = collections.defaultdict(dict)

    def measure(self, array):
        key = "last" if fixed else id(array)
        self.known[key] = {"array": array, "total": array.sum()}


layout = Layout()
for _ in range(20):
    layout.measure(numpy.zeros(1000))
print(leakgraph.findings())
