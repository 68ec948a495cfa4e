"""A loop that switches the collector off while it measures, and never on again."""

import gc
import sys

import numpy

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


def measure():
    gc.disable()
    for _ in range(4):
        nodes = [{"data": numpy.zeros(100_000)} for _ in range(2)]
        nodes[0]["next"], nodes[1]["next"] = nodes[1], nodes[0]
    if fixed:
        gc.enable()
        gc.collect()


gc.collect()
measure()
print(leakgraph.findings())
