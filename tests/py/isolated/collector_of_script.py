"""Runs a script, and compares leakgraph's garbage with the collector's.

python collector_of_script.py SCRIPT [ARGUMENTS], in an empty folder.
"""

import gc
import runpy
import sys
from pathlib import Path

import leakgraph

sys.path.insert(0, str(Path(__file__).parents[1]))

from collector import called_collectable, freed_by_collector


def judge(when):
    """Garbage is exactly what the collector would free, tracked object by object."""
    called = called_collectable(leakgraph.snapshot())
    freed = freed_by_collector()
    assert called == freed, (when, len(called - freed), len(freed - called))
    return len(called)


gc.disable()
script, sys.argv = sys.argv[1], sys.argv[1:]
names = runpy.run_path(script, run_name="__main__")
kept = judge("while its names are held")
del names
left = judge("when they are gone")
print(f"right: {kept} and {left} objects")
