"""A forked child compresses what it does not use, which changes no snapshot."""

import pytest
from builds import needs_fork

import leakgraph

pytestmark = needs_fork

MOST = """
import os, threading, leakgraph
kept = [[i] for i in range(1 << 20, 2 << 20)]
most, over = [0], threading.Event()

def resident(process, name):
    with open(f"/proc/{process}/status") as file:
        lines = dict(line.split(":", 1) for line in file)
    return int(lines[name].split()[0]) * 1024

def watch():
    while not over.wait(0.001):
        with open(f"/proc/self/task/{os.getpid()}/children") as file:
            for process in file.read().split():
                try:
                    most[0] = max(most[0], resident(process, "VmHWM"))
                except (OSError, KeyError):
                    pass

watcher = threading.Thread(target=watch)
watcher.start()
before = resident("self", "VmRSS")
nodes = leakgraph.save_snapshot("x.lgs", fork=True).nodes
over.set()
watcher.join()
print(most[0] > before, (most[0] - before) // nodes)
"""


def test_a_child_needs_few_bytes_for_each_object(python):
    """A graph as it is would have more than 20 of them."""
    done = python("-c", MOST)
    seen, each = done.out.split()
    assert seen == "True", done.err
    assert int(each) < 18


def columns(path):
    with leakgraph.load(path) as snapshot:
        names = ("address", "type", "size", "first_edge", "edge_target", "edge_kind")
        return [bytes(memoryview(snapshot.column(name))) for name in names]


SAME = """
import leakgraph, gc
kept = [[i, str(i), {i: (i,)}] for i in range(120_000)]
gc.disable()
for name, options in (
    ("plain", {"spill": True}),
    ("cold", {}),
    ("raw", {"compress": 0}),
):
    leakgraph.save_snapshot(f"{name}.lgs", fork=True, roots=[kept], **options)
"""


def test_it_writes_the_same_file(python, tmp_path):
    """Compressed or not, and where the system itself reads the columns."""
    done = python("-c", SAME)
    assert done.err == ""
    plain = columns(tmp_path / "plain.lgs")
    assert len(plain[0]) > 8 * 600_000
    assert columns(tmp_path / "cold.lgs") == plain
    assert columns(tmp_path / "raw.lgs") == plain


@pytest.mark.parametrize("pieces", [1, 30, 300])
def test_no_memory_for_what_comes_back(python, preload, pieces):
    code = """
import os, leakgraph
kept = [[i, str(i), {i: (i,)}] for i in range(120_000)]
try:
    leakgraph.save_snapshot("x.lgs", fork=True)
except MemoryError as error:
    print(error, os.listdir())
"""
    done = python("-c", code, LD_PRELOAD=preload("tight"), TIGHT=str(pieces))
    assert done.out == "memory ran out in the capturing child []\n", done.err
