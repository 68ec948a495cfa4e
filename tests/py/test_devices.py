"""Retained bytes on devices: figures, rankings and texts, on fakes of CuPy."""

import os
import sys
from pathlib import Path

import pytest

FAKES = Path(__file__).with_name("fakes")

HEAP = """
import gc, cupy, leakgraph
gc.collect()  # what the imports left behind is no cycle of ours
gc.disable()

class Batch:
    pass

class Ring:
    pass

def batch(address, size, device):
    made = Batch()
    made.array = cupy.ndarray((size // 4,), cupy.Memory(address, size, device))
    return made

MIB = 1 << 20
small, large = batch(0x7f0000000000, MIB, 0), batch(0x7f1000000000, 8 * MIB, 0)
other = batch(0x7f2000000000, 64 * MIB, 1)
host = Batch()
host.data = bytearray(2 * MIB)
def lost(address, size, device):
    ring = Ring()
    ring.batch, ring.me = batch(address, size, device), ring
lost(0x7f3000000000, 4 * MIB, 0)
lost(0x7f4000000000, 2 * MIB, 1)
snap = leakgraph.snapshot()
"""


@pytest.fixture
def fake(python):
    """Run code with the fake as cupy, and with the heap above."""
    path = os.pathsep.join([str(FAKES), *filter(None, sys.path)])

    def run(code):
        done = python("-c", HEAP + code, PYTHONPATH=path)
        assert done.code == 0, done.err
        return done.out.splitlines()

    return run


def test_retained(fake):
    assert fake("""
node = snap.find(large)
print([node.retained[d] // MIB for d in ("host", "cuda:0", "cuda:1")])
print(node.retained.host < 4096, (node.retained.total - node.retained.host) // MIB)
print([snap.retained("type:__main__.Batch")[d] // MIB for d in ("cuda:0", "cuda:1")])
both = snap.retained([node, snap.find(other)])
print((both.total - both.host) // MIB, both.host < 8192)
print(snap.why(large).retained.total // MIB, "8.00 MiB cuda:0" in str(snap.why(large)))
try:
    snap.retained(large)["cuda:7"]
except KeyError as error:
    print("cuda:7" in str(error))
print([row.size for row in snap.types(None) if "cuda:1" in str(row.size)] != [])
""") == ["[0, 8, 0]", "True 8", "[13, 66]", "72 True", "8 True", "True", "True"]


def test_top_by_device(fake):
    assert fake("""
def sizes(**options):
    return [round(r.node.retained["cuda:0"] / MIB) for r in snap.top(3, **options)]

print(sizes(by="cuda:0"))
(first, *_) = snap.top(1, by="cuda:1")
print(first.node.retained["cuda:1"] // MIB, first.retained.total // MIB)
(host,), (most,) = snap.top(1, by="host"), snap.top(1)
print(host.retained.host >= 2 * MIB, most.retained["cuda:1"] // MIB)
rows = snap.top(50, by="cuda:0", group="type")
batches = {r.type: r.retained for r in rows}["__main__.Batch"]
print([batches[d] // MIB for d in ("cuda:0", "cuda:1")])
print(all(snap.retained(f"type:{r.type}")["cuda:0"] > 0 for r in rows))
print("cuda:0 · " in str(rows), "cuda:1" in str(rows))
for by in ("size", 3):
    try:
        snap.top(by=by)
    except (leakgraph.ArgumentError, TypeError) as error:
        print("'cuda:0'" in str(error) or "by must be a str" in str(error))
""") == [
        "[8, 4, 1]",
        "64 64",
        "True 64",
        "[13, 66]",
        "True",
        "True True",
        "True",
        "True",
    ]


def test_growth_by_device(fake, tmp_path):
    """Sums of types and of cycles have a size for each device, in files, too."""
    once = [
        "[[0, 13, 66], [0, 45, 82]]",
        "48 True",
        "[[0, 4, 2], [0, 36, 2]]",
        "32 True",
        "True Size",
    ]
    assert fake(f"""
import pathlib
from leakgraph import fleet

folder = pathlib.Path({str(tmp_path)!r})
kept = [batch(0x7f5000000000, 16 * MIB, 1)]
lost(0x7f6000000000, 32 * MIB, 0)
later = leakgraph.snapshot()
old, new = snap.summary(folder / "old.lgsum"), later.summary(folder / "new.lgsum")
for path in (old, new):
    saved = pathlib.Path(path).read_bytes()
    pathlib.Path(path + ".twice").write_bytes(fleet.merge(saved, saved))

def sizes(growth):
    (memory,) = [t for t in growth.types if t.name == "cupy.memory"]
    rings = [c for c in growth.cycles if "Ring" in c.name]
    for row in (memory, *rings):
        print([[b[d] // MIB for d in ("host", "cuda:0", "cuda:1")] for b in row.bytes])
        print(row.gained // MIB, row.bytes[1].total == sum(row.bytes[1].values()))
    text = str(growth)
    print("32.0 MiB cuda:0 · 16.0 MiB cuda:1" in text, type(row.bytes[0]).__name__)

sizes(leakgraph.diff(snap, later))
sizes(leakgraph.diff(old, new))
sizes(leakgraph.diff(old + ".twice", new + ".twice"))
""") == [
        *once,
        *once,
        "[[0, 26, 132], [0, 90, 164]]",
        "96 True",
        "[[0, 8, 4], [0, 72, 4]]",
        "64 True",
        "False Size",
    ]


def test_cycles_by_device(fake):
    assert fake("""
def rings(by):
    found = snap.cycles(kind="collectable", by=by, limit=None)
    mine = [c for c in found if "Ring" in str(c)]
    return [(c.retained["cuda:0"] // MIB, c.retained["cuda:1"] // MIB) for c in mine]

print(rings("cuda:0"), rings("cuda:1"), rings("retained"))
found = snap.cycles(kind="collectable", by="cuda:1", limit=1)
print(len(found), found.total, found[0].retained.total // MIB)
print("4.00 MiB cuda:0" in str(snap.cycles(kind="collectable")))
""") == [
        "[(4, 0), (0, 2)] [(0, 2), (4, 0)] [(4, 0), (0, 2)]",
        "1 2 2",
        "True",
    ]
