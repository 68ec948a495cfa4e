"""Tests what a capture sees after a second thread has started.

CPython 3.13 without a GIL then makes classes, modules, functions and code immortal.
"""

import _csv
import gc
import sys
import threading
from collections import Counter
from pathlib import Path

import leakgraph

sys.path.insert(0, str(Path(__file__).parents[1]))

import shapes
from collector import called_collectable, classes_stay, freed_by_collector


def function():
    """Holds only its code."""


def edges():
    """The capture has the edges that the collector saw before it stopped tracking."""
    snapshot = leakgraph.snapshot()
    for thing in (shapes.Thing, function, function.__code__, _csv, vars(_csv)):
        node = snapshot.find(thing)
        seen = Counter(e.node.address for e in node.referents() if e.traversed)
        assert seen == Counter(map(id, gc.get_referents(thing))), thing
    labels = [edge.label for edge in snapshot.find(_csv).referents()]
    assert any("module state" in label for label in labels), labels


def garbage():
    """Garbage goes with its class; if the class stays, so does the content of its
    cache.
    """
    address = id(shapes.cache_of_local_class())
    snapshot = leakgraph.snapshot()
    called = called_collectable(snapshot)
    assert (address in called) is not classes_stay()
    assert called == freed_by_collector()
    (node,) = (node for node in snapshot.nodes if node.address == address)
    text = str(snapshot.why(node))
    assert "it is garbage" in text
    assert ("which is immortal" in text) is classes_stay(), text


gc.disable()
thread = threading.Thread(target=function)
thread.start()
thread.join()
gc.collect()
edges()
garbage()
print("right")
