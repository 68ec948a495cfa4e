"""Compares paths from what leads to an object with those of the whole heap.

Prints how many objects were compared, of how many the first path came from what leads
to them alone, and where the two differ.
"""

import dataclasses
import enum
import functools
import gc
import sys
import threading
from pathlib import Path

import leakgraph

sys.path.insert(0, str(Path(__file__).parents[1]))

import one_of_each_kind
from shapes import Thing


class Colour(enum.Enum):
    """Keys with names."""

    RED = 1


@dataclasses.dataclass(frozen=True)
class Point:
    """A key that its values tell apart."""

    x: int
    y: tuple


class Registry:
    """A class that has what its instances refer to, too."""

    shared = (Thing(),)


class Parts:
    """Has an attribute in which PyTorch would look for parameters."""

    def __init__(self):
        self._buffers = {"first": Thing()}


def closure(value):
    """Return a function with a variable that only it has."""
    return lambda: value


@functools.lru_cache
def cached(number):
    """Return an object that the cache keeps."""
    return Thing(number=number)


def run(value, begun, goes_on):
    """Keep an object in a variable until the program ends."""
    kept = {"value": value}
    begun.set()
    goes_on.wait()
    del kept


def start(value):
    """Let a thread keep an object."""
    begun = threading.Event()
    threading.Thread(
        target=run, args=(value, begun, threading.Event()), daemon=True
    ).start()
    begun.wait()


long = [Thing(number=number) for number in range(3000)]
table = {(number, "key"): [Thing(), long[number]] for number in range(5)}
twice = [long[7]]
objects = {frozenset({name}): Thing() for name in "abc"}
objects[Colour.RED] = Thing()
objects[Point(1, (2, (3,)))] = Thing()
objects[((1, ("a", None)), b"c", Thing)] = Thing()
registry = Registry()
registry.shared = Registry.shared
parts = Parts()
made = [closure(Thing()) for _ in range(3)]
waiting = (item for item in [Thing()])
tied = Thing(parent=Thing())
tied.parent.child = tied
cached(1)
cached.also = cached(2)
start(Thing(name="of a thread"))

ordered = [
    long[5],
    long[7],
    long[2999],
    *table[3, "key"],
    *objects.values(),
    Registry.shared[0],
    registry,
    parts._buffers["first"],
    made[0],
    made[1].__closure__[0],
    made[2].__closure__[0].cell_contents,
    waiting,
    tied,
    tied.parent,
    cached(1),
    cached(2),
    sys._current_frames,
    Thing,
]
addresses = [id(each) for each in ordered]
for name, factory in one_of_each_kind.KINDS.items():
    owner, labels = factory()
    globals()[f"kind_{name}"] = owner
    ordered += [each for each in labels.values() if gc.is_tracked(each)][:1]
    addresses += [id(each) for each in ordered[len(addresses) :]]
del owner, labels, name, factory

early = 0
gc.collect()
# From the first to the last, so that nothing but the call has the object.
ordered.reverse()
for address in addresses:
    drawing = leakgraph.show_path(ordered.pop(), retained=False)
    whole = leakgraph.snapshot().show_path(hex(address), retained=False)
    early += "objects in the snapshot" not in drawing.dot
    if str(drawing) != str(whole):
        print(drawing, whole, sep="\n")
print(len(addresses), early, flush=True)
