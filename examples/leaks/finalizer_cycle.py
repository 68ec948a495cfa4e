"""weakref.finalize() with a bound method of the object itself: the object never dies.

python examples/leaks/finalizer_cycle.py [fixed]
"""

import os
import sys
import weakref

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


def close(descriptor):
    """Close a file."""
    os.close(descriptor)


class File:
    """Closes its file when it dies."""

    def __init__(self):
        self.descriptor = os.open(os.devnull, os.O_RDONLY)
        self.buffer = bytearray(100_000)
        if fixed:
            weakref.finalize(self, close, self.descriptor)
        else:
            weakref.finalize(self, self.close)

    def close(self):
        """Close the file."""
        close(self.descriptor)


for _ in range(3):
    File()

print(leakgraph.findings())
