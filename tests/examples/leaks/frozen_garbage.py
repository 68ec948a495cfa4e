"""A server that freezes what it has loaded, and then loads it anew."""

import gc
import sys

import numpy

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


class Table:
    def __init__(self):
        self.rows = numpy.zeros((100, 1000))
        self.index = {"all": self.find}

    def find(self, row):
        return self.rows[row]


table = Table()
gc.freeze()
table = Table()
if fixed:
    gc.unfreeze()
gc.collect()
print(leakgraph.findings())
