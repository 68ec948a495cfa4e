"""The counts of references that only native code can hold are exact."""

import atexit
import ctypes
import os
import sys
import weakref

import pytest

import leakgraph

pytestmark = pytest.mark.skipif(
    os.environ.get("LEAKGRAPH_CAPTURE") == "public",
    reason="the public method sees no frames, so locals look unexplained",
)


class Leaky:
    pass


def leak(thing, times):
    increment = ctypes.pythonapi.Py_IncRef
    increment.argtypes = [ctypes.py_object]
    increment.restype = None
    for _ in range(times):
        increment(thing)


def unleak(thing, times):
    decrement = ctypes.pythonapi.Py_DecRef
    decrement.argtypes = [ctypes.py_object]
    decrement.restype = None
    for _ in range(times):
        decrement(thing)


LEAKIES = [Leaky() for _ in range(100)]


def test_a_leak_in_c_is_found_with_its_exact_count():
    leaked = {7: 1, 21: 3, 33: 1, 50: 2, 64: 5, 77: 1, 99: 40}
    for index, times in leaked.items():
        leak(LEAKIES[index], times)
    try:
        snapshot = leakgraph.snapshot()
        rests = [snapshot.find(thing).unexplained for thing in LEAKIES]
    finally:
        for index, times in leaked.items():
            unleak(LEAKIES[index], times)
    assert {i: rest for i, rest in enumerate(rests) if rest} == leaked


def test_native_holders_are_roots():
    leak(LEAKIES[3], 1)
    try:
        snapshot = leakgraph.snapshot()
        natives = {root.node for root in snapshot.roots if root.kind == "native"}
        assert snapshot.find(LEAKIES[3]) in natives
        assert snapshot.find(LEAKIES[4]) not in natives
    finally:
        unleak(LEAKIES[3], 1)


class Server:
    def __init__(self):
        self.data = bytearray(100_000)

    def stop(self, *arguments, **options):
        pass


def test_handlers_of_atexit_are_named():
    server = Server()
    known = weakref.ref(server)
    atexit.register(server.stop, [server], key="value")
    del server
    try:
        snapshot = leakgraph.snapshot()
        (node,) = snapshot.select(f"type:{__name__}.Server")
        why = str(snapshot.why(node))
    finally:
        atexit.unregister(known().stop)
    assert known() is None
    assert node.unexplained == 0
    assert "atexit" in why
    named = sys.version_info >= (3, 10)
    assert ("atexit handlers" in why) == named
    assert not named or "No program can cut" not in why
