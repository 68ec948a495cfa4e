"""A finalizer whose argument is a dict that the object is in."""

import sys
import weakref

import numpy

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


class Table:
    def __init__(self):
        self.rows = numpy.zeros(20_000)


def forget(tables, name):
    tables.pop(name, None)


def make(name):
    tables = {name: Table()}
    weakref.finalize(tables[name], forget, {} if fixed else tables, name)


make("prices")
print(leakgraph.findings())
