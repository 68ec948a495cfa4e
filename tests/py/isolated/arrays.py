"""Tests arrays of objects, which the collector does not traverse: python ... CASE.

test_cycles.py runs this script, because no other test may share a process with numpy.
"""

import gc
import sys
import tracemalloc
import weakref
from pathlib import Path

import numpy

import leakgraph

sys.path.insert(0, str(Path(__file__).parents[1]))

from collector import freed_by_collector
from shapes import Thing


def loop():
    """An array that holds what refers to it."""
    array = numpy.empty(2, dtype=object)
    array[0] = Thing(back=array)
    return array


def cycle_with(address, **options):
    """The cycle is the only one with a member of that type."""
    found = leakgraph.snapshot().cycles(min_bytes=0, limit=None, **options)
    (cycle,) = (c for c in found if address in {n.address for n in c.nodes})
    return cycle


def held():
    """A cycle is held if a name reaches it."""
    array = loop()
    cycle = cycle_with(id(array), kind="held")
    assert "numpy.ndarray" in {row.type for row in cycle.types}
    assert cycle.path is not None


def garbage():
    """The collector cannot free it; cutting the named edge does."""
    array = loop()
    reference, address = weakref.ref(array[0]), id(array[0])
    del array
    cycle = cycle_with(address, kind="uncollectable")
    assert cycle.reason == "untraversed" and cycle.path is None
    assert cycle.culprit is not None
    assert address not in freed_by_collector()
    gc.collect()
    thing = reference()
    if cycle.cut.label == ".back":
        del thing.back
    else:
        thing.back[0] = None
    del thing
    gc.collect()
    assert reference() is None


def freed():
    """Deleting an array frees the bytes that why() promises."""
    tracemalloc.start()
    holder = Thing(it=numpy.zeros(1 << 17))
    promised = leakgraph.why(holder.it).retained.host
    before = tracemalloc.get_traced_memory()[0]
    del holder.it
    released = before - tracemalloc.get_traced_memory()[0]
    assert abs(released - promised) <= 0.02 * promised, (released, promised)


if __name__ == "__main__":
    gc.disable()
    {"held": held, "garbage": garbage, "bytes": freed}[sys.argv[1]]()
    print("right")
