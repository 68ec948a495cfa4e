"""The last rows of arrays, as Series and slices in a list of records."""

import sys

import numpy

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


class Window:
    def __init__(self, samples):
        self.tail = samples[-100:].reshape(10, 10)
        if fixed:
            self.tail = self.tail.copy()


def read():
    samples = numpy.frombuffer(bytearray(8 * 200_000), dtype=numpy.float64)
    return samples + 1


windows = {"recent": [Window(read())]}
print(leakgraph.findings())
