"""gc.DEBUG_SAVEALL left on: the collector keeps all that it finds.

python examples/leaks/saved_garbage.py [fixed]
"""

import gc
import sys

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
gc.set_debug(0 if fixed else gc.DEBUG_SAVEALL)


class Page:
    """Refers to itself through its parts."""

    def __init__(self):
        self.text = bytearray(100_000)
        self.parts = [self]


for _ in range(3):
    Page()
gc.collect()

print(leakgraph.findings())
