"""Tests the oracle on whole processes: every object that the collector tracks."""

import importlib.util
import os
import sys

import pytest

PUBLIC = os.environ.get("LEAKGRAPH_CAPTURE") == "public"
WITH_LIBRARIES = ("torch", "numpy", "matplotlib.pyplot", "pandas")

SCRIPT = """
import collections, gc, sys
for name in sys.argv[1:]:
    __import__(name)
import leakgraph

def compare(objects, snapshot, known):
    addresses = snapshot.column("address").tolist()
    first = snapshot.column("first_edge").tolist()
    target = snapshot.column("edge_target")
    kind = snapshot.column("edge_kind")
    index = {address: node for node, address in enumerate(addresses)}
    missing = different = compared = 0
    for thing in objects:
        if id(thing) in known:
            continue
        node = index.get(id(thing))
        if node is None:
            missing += 1
            continue
        seen = sorted(addresses[target[edge]]
                      for edge in range(first[node], first[node + 1])
                      if kind[edge] & 0x80)
        compared += 1
        if seen != sorted(map(id, gc.get_referents(thing))):
            different += 1
            print("differs:", type(thing), file=sys.stderr)
    return compared, missing, different

def unexplained(snapshot):
    mortal = with_rest = negative = 0
    found = snapshot.column("found")
    for node, count in enumerate(snapshot.column("refcount")):
        if snapshot.column_flags[node] & 12:
            continue
        mortal += 1
        with_rest += count > found[node]
        negative += count < found[node]
    return mortal, with_rest, negative

class Reader:
    def __init__(self, snapshot):
        self.column_flags = snapshot.column("node_flags")
        self.column = snapshot.column

def main():
    gc.collect()
    gc.disable()
    objects = gc.get_objects()
    snapshot = leakgraph.snapshot()
    # What this function itself changes after the snapshot is no evidence.
    known = {id(objects), id(sys._getframe()), id(globals()), id(snapshot)}
    # 3.12's _asyncio reports its list of freed iterators: gc.get_referents would
    # bring them back to life, and free them twice.
    known.add(id(sys.modules.get("_asyncio")))
    print(*compare(objects, snapshot, known), *unexplained(Reader(snapshot)))

main()
"""


def measure(python, *modules):
    done = python("-c", SCRIPT, *modules)
    assert done.code == 0, done.err
    return [int(figure) for figure in done.out.split()], done.err


def check(figures, differences, *, share):
    compared, missing, different, mortal, with_rest, negative = figures
    assert missing == 0
    assert different == 0, differences
    assert compared > 5000
    if not PUBLIC:
        assert negative == 0
        assert with_rest <= share * mortal


def test_a_process_with_the_standard_library(python):
    figures, differences = measure(
        python, "asyncio", "json", "sqlite3", "ctypes", "decimal", "unittest.mock"
    )
    # Most of the share is strs and small ints that C code keeps for itself. It is
    # higher before 3.12, which made most of them immortal.
    check(figures, differences, share=0.06 if sys.version_info < (3, 12) else 0.02)


@pytest.mark.libraries
def test_a_process_with_torch_matplotlib_and_pandas(python):
    missing = [
        name
        for name in WITH_LIBRARIES
        if importlib.util.find_spec(name.split(".")[0]) is None
    ]
    assert not missing, f"install {missing} to run this test"
    figures, differences = measure(python, *WITH_LIBRARIES)
    check(figures, differences, share=0.015)
    assert figures[0] > 200_000
