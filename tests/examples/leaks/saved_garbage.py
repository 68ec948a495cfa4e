"""DEBUG_LEAK for one collection, and never a look at what it found."""

import gc
import sys

import numpy

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


def look_for_leaks():
    gc.set_debug(gc.DEBUG_SAVEALL)
    gc.collect()
    gc.set_debug(0)


tree = {"rows": numpy.zeros((100, 1000))}
tree["root"] = tree
del tree
look_for_leaks()
if fixed:
    gc.garbage.clear()
    gc.collect()
print(leakgraph.findings())
