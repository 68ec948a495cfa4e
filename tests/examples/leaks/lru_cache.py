"""A cached function of several arguments, with tuples of arrays as results."""

import functools
import sys

import numpy

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


def cached(function):
    return functools.lru_cache(1)(function) if fixed else functools.cache(function)


class Grids:
    @staticmethod
    @cached
    def make(kind, size=100):
        return {"axes": (numpy.arange(size), numpy.zeros((size, size)))}


for size in (100, 120, 140):
    Grids.make("square", size=size)
print(leakgraph.findings())
