"""Leaks 40 blocks of malloc before each of three snapshots: python ... FOLDER.

The snapshots lie in FOLDER afterwards. A process of its own leaks them, because what
libraries of other tests free there would hide the leak.
"""

import ctypes
import sys
from pathlib import Path

import leakgraph

BLOCKS, BYTES = 40, 50_000


def main(folder):
    """Leak and save, three times."""
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    for number in range(3):
        for _ in range(BLOCKS):
            libc.malloc(BYTES)
        leakgraph.save_snapshot(folder / f"{number}.lgs")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
