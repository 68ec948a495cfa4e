"""gc.freeze() with a cycle that the program then drops: nothing frees it.

python examples/leaks/frozen_garbage.py [fixed]
"""

import gc
import sys

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


class Page:
    """Refers to itself through its parts."""

    def __init__(self):
        self.text = bytearray(1_000_000)
        self.parts = [self]


pages = [Page() for _ in range(3)]
if fixed:
    del pages[:]
    gc.collect()
gc.freeze()
pages.clear()
gc.collect()

print(leakgraph.findings())
