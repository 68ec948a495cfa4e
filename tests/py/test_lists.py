"""The collector's lists: a capture finds what is in them, with or without referrers."""

import ctypes
import gc
import sys

import pytest
from builds import PUBLIC
from test_versions import interpreters

import leakgraph

pytestmark = [pytest.mark.ends, pytest.mark.small]

FREE_THREADED = not getattr(sys, "_is_gil_enabled", lambda: True)()

# Values of the column node_flags.
TRACKED = 1
FROZEN = 2


def flags_of(snapshot, addresses):
    """List the flags of the nodes at those addresses, each combination once."""
    nodes = dict(zip(snapshot.column("address"), snapshot.column("node_flags")))
    return {nodes[address] & (TRACKED | FROZEN) for address in addresses}


class Kept:
    """Make an object that only native code keeps, and no other object knows."""

    def __init__(self, count):
        made = [[] for _ in range(count)]
        self.addresses = [id(thing) for thing in made]
        for thing in made:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))

    def release(self):
        for address in self.addresses:
            ctypes.pythonapi.Py_DecRef(ctypes.cast(address, ctypes.py_object))
        self.addresses = []


@pytest.fixture
def kept():
    everything = []

    def keep(count):
        everything.append(Kept(count))
        return everything[-1].addresses

    yield keep
    for one in everything:
        one.release()


@pytest.mark.parametrize("collections", [None, 0, 1, 2])
def test_objects_that_nothing_refers_to(kept, collections):
    gc.collect()
    gc.disable()
    try:
        addresses = kept(5000)
        if collections is not None:
            gc.collect(collections)
        snapshot = leakgraph.snapshot()
    finally:
        gc.enable()
    assert flags_of(snapshot, addresses) == {TRACKED}


@pytest.mark.skipif(
    PUBLIC or FREE_THREADED,
    reason="calls of the interpreter need not tell of frozen objects",
)
def test_frozen_ones(kept):
    before = kept(1000)
    gc.freeze()
    try:
        after = kept(1000)
        snapshot = leakgraph.snapshot()
    finally:
        gc.unfreeze()
    assert flags_of(snapshot, before) == {TRACKED | FROZEN}
    assert flags_of(snapshot, after) == {TRACKED}


def test_what_the_collector_let_go(kept):
    numbers = (1, 2), (3, 4)
    gc.collect()
    snapshot = leakgraph.snapshot()
    for pair in numbers:
        tracked = gc.is_tracked(pair)
        assert flags_of(snapshot, [id(pair)]) == {TRACKED if tracked else 0}


def test_every_object_is_tracked_or_not():
    gc.collect()
    gc.disable()
    try:
        objects = gc.get_objects()
        snapshot = leakgraph.snapshot()
        unlike = [
            thing
            for thing in objects
            if snapshot.find(thing).tracked != gc.is_tracked(thing)
        ]
    finally:
        gc.enable()
    assert not unlike


def test_while_a_collection_runs(kept):
    taken = []

    def on_collection(phase, info):
        taken.append(leakgraph.snapshot())

    addresses = kept(1000)
    gc.callbacks.append(on_collection)
    try:
        gc.collect()
    finally:
        gc.callbacks.remove(on_collection)
    assert len(taken) == 2
    for snapshot in taken:
        assert set(addresses) <= set(snapshot.column("address"))


@pytest.mark.skipif(FREE_THREADED, reason="its collector keeps no lists")
def test_with_another_interpreter(kept):
    """Up to 3.11 the subclasses of object include the classes of both interpreters."""
    others = interpreters()
    other = others.create()
    try:
        others.run_string(
            other, "class Other: pass\nkept = [Other() for _ in range(99)]"
        )
        addresses = kept(1000)
        snapshot = leakgraph.snapshot()
    finally:
        others.destroy(other)
    assert flags_of(snapshot, addresses) == {TRACKED}


# This object has invalid data in the place of a collector's head.
HEADLESS = """if 1:
    import ctypes, gc, sys
    gc.disable()
    path, kind, nonsense = sys.argv[1:]
    if kind == "variable":
        library = ctypes.CDLL(path)
        room = ctypes.addressof(ctypes.c_char.in_dll(library, "variable_object"))
        model = []
    else:
        memory = ctypes.create_string_buffer(512)
        room = ctypes.addressof(memory) + 63 & -64
        model = property()
    head, place = room + 48, room + 64
    ctypes.memmove(place, id(model), object.__sizeof__(model))
    count = ctypes.c_ssize_t.from_address(place)
    count.value += 1000
    others = [[], []]
    words = {"nowhere": 0x123456789000, "object": id(others[0]) - 16}
    words["odd"] = id(others) + 4
    ctypes.c_size_t.from_address(head).value = words[nonsense]
    ctypes.c_size_t.from_address(head + 8).value = 0
    odd = ctypes.cast(place, ctypes.py_object).value
    holder = [odd]
    import leakgraph
    made = [[] for _ in range(5000)]
    addresses = {id(thing) for thing in made}
    for thing in made:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))
    del thing, made
    snapshot = leakgraph.snapshot()
    found = set(snapshot.column("address"))
    assert addresses <= found and place in found
    assert 0x123456789010 not in found and id(others) + 20 not in found
    flags = dict(zip(snapshot.column("address"), snapshot.column("node_flags")))
    assert all(flags[address] & 1 for address in addresses)
    assert nonsense == "object" or not flags[place] & 1
"""


@pytest.mark.skipif(FREE_THREADED, reason="its objects have no head")
@pytest.mark.parametrize("nonsense", ["nowhere", "object", "odd"])
@pytest.mark.parametrize("kind", ["variable", "allocated"])
def test_an_object_that_has_no_head(python, preload, kind, nonsense):
    """Such an object is in a library's variable, or in memory of its own allocator."""
    done = python("-c", HEADLESS, preload("variable"), kind, nonsense)
    assert done.code == 0, done.err
