"""An interactive error: Python keeps the exception and its traceback by two names."""

import sys

import numpy

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


def load():
    rows = numpy.zeros((256, 256))
    raise ValueError(f"{len(rows)} rows")


try:
    load()
except ValueError as error:
    if not fixed:
        sys.last_value, sys.last_traceback = error, error.__traceback__

print(leakgraph.findings())
