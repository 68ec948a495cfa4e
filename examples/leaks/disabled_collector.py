"""A disabled collector: nothing frees objects that refer to themselves.

python examples/leaks/disabled_collector.py [fixed]
"""

import gc
import sys

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
gc.collect()
gc.disable()


class Page:
    """Refers to itself through its parts."""

    def __init__(self):
        self.text = bytearray(1_000_000)
        self.parts = [self]


for _ in range(3):
    Page()
if fixed:
    gc.collect()

print(leakgraph.findings())
