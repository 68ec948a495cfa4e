"""What leakgraph keeps is a line of its own, and goes with its owner."""

import json
import sys

import pytest
from builds import DROPPED, FREE_THREADED

import leakgraph

pytestmark = [pytest.mark.ends, pytest.mark.small]

MIB = 1 << 20

START = """
import gc, json, os, leakgraph
heap = [[number] for number in range(200_000)]
def tell(*more):
    host = leakgraph.memory().host
    print(json.dumps([host["leakgraph"] or 0, host["allocations"] or 0,
                      host["else"] or 0, *more]))
"""


@pytest.fixture
def tell(python):
    def run(code, **environment):
        done = python("-c", START + code, **environment)
        assert done.code == 0, done.err
        return [json.loads(line) for line in done.out.splitlines()]

    return run


def check_others(before, now):
    """Check that leakgraph owns all the growth."""
    assert now[1] - before[1] < MIB, "other allocations"
    assert now[2] - before[2] < 3 * MIB, "anything else"


def test_analyses(tell):
    before, plain, analysed, after = tell(
        f"""
leakgraph.top()
tell()
snapshot = leakgraph.snapshot()
tell(len(snapshot))
snapshot.analyze()
tell(len(snapshot))
snapshot.close()
{DROPPED}
tell()
"""
    )
    nodes = plain[3]
    assert before[0] == after[0] == 0
    assert 5 * nodes < analysed[0] - plain[0] < 120 * nodes
    check_others(before, plain)
    check_others(before, analysed)
    check_others(before, after)


@pytest.mark.parametrize("compress", [0, 3])
def test_loaded_snapshots(tell, compress):
    """The pages of a mapped file count as files; malloc's bytes are leakgraph's."""
    before, loaded, asked, gone = tell(
        f"""
leakgraph.top()
with leakgraph.snapshot() as snapshot:
    snapshot.save("heap.lgs", compress={compress})
{DROPPED}
leakgraph.load("heap.lgs").top()
gc.collect()
tell()
loaded = leakgraph.load("heap.lgs")
tell(len(loaded))
loaded.top()
tell(len(loaded))
del loaded
gc.collect()
tell()
"""
    )
    nodes = loaded[3]
    assert before[0] == gone[0] == 0
    assert compress == 0 or loaded[0] > 10 * nodes
    assert asked[0] - loaded[0] > 5 * nodes
    check_others(before, loaded)
    check_others(before, asked)


def test_results_pictures_and_readers_keep_their_rows_alone(tell):
    before, after = tell(
        """
class Matrix:
    data, length = 0, 0
leakgraph.register_buffers(Matrix, reader=lambda matrix: (0, 0))
tell()
kept = [leakgraph.top(), leakgraph.findings(), leakgraph.why(heap)]
try:
    kept.append(leakgraph.show_backrefs(heap, "heap.svg", max_depth=2))
except leakgraph.PictureError as error:
    print(error)
tell()
"""
    )
    assert before[0] == 0 and after[0] < MIB / 4
    check_others(before, after)


def test_kept_pages(tell):
    before, kept, gone = tell(
        """
tell()
leakgraph.keep_memory(1 << 30)
leakgraph.snapshot().close()
tell()
leakgraph.keep_memory(0)
tell()
"""
    )
    assert before[0] == gone[0] == 0 and kept[0] >= 8 * MIB
    check_others(before, kept)


RESIDENT = """
import sys, leakgraph
def resident():
    with open("/proc/self/smaps_rollup") as file:
        return next(int(line.split()[1]) << 10 for line in file if line[:4] == "Rss:")
leakgraph.keep_memory(int(sys.argv[1]))
heap = [[number] for number in range(int(sys.argv[2]))]
leakgraph.memory()
kept = [leakgraph.snapshot() for _ in range(int(sys.argv[3]))]
for _ in range(2):
    before = resident()
    print(leakgraph.memory().host["rss"] - before)
"""


@pytest.mark.parametrize(
    "pages, objects, kept", [(0, 0, 0), (0, 300_000, 2), (1 << 30, 300_000, 2)]
)
def test_a_capture_does_not_count_its_own_pages(python, pages, objects, kept):
    done = python("-c", RESIDENT, str(pages), str(objects), str(kept))
    assert done.code == 0, done.err
    assert all(abs(int(more)) < MIB for more in done.out.split()), done.out


@pytest.mark.parametrize(
    "lists, most",
    [
        (120_000, 75),
        pytest.param(
            530_000,
            36 if (3, 10) <= sys.version_info < (3, 14) else 42,
            marks=pytest.mark.skipif(
                FREE_THREADED or sys.version_info[:2] == (3, 14),
                reason="there the collector does not say how many objects it has",
            ),
        ),
    ],
)
def test_a_first_capture_needs_little_room_that_it_does_not_fill(python, lists, most):
    """The columns do not end in huge pages that are nearly empty."""
    done = python(
        "-c",
        """
import sys
import leakgraph
heap = [[number] for number in range(int(sys.argv[1]))]
def resident(name):
    with open("/proc/self/status") as status:
        lines = [line for line in status if line.startswith(name)]
    return int(lines[0].split()[1]) << 10
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")
before = resident("VmRSS")
snapshot = leakgraph.snapshot()
print((resident("VmHWM") - before) // len(snapshot))
""",
        str(lists),
    )
    assert done.code == 0, done.err
    assert int(done.out) < most


def test_open_snapshots_are_no_growth_of_the_program(python):
    """All that their answers made of them is leakgraph's, in whatever place."""
    done = python(
        "-c",
        """
import json, leakgraph
heap = [{number: str(number)} for number in range(200_000)]
steps = []
for _ in range(4):
    steps.append(leakgraph.snapshot())
    steps[-1].findings(), steps[-1].top(3), steps[-1].cycles()
grown = leakgraph.diff(*steps[1:])
print(json.dumps([[str(row.type) for row in grown], grown.unexplained_malloc]))
""",
    )
    assert done.code == 0, done.err
    rows, malloc = json.loads(done.out)
    assert rows == []
    # The rows that an answer shows are kept in small blocks.
    assert abs(malloc) < MIB / 4


def test_sizes_of_one_snapshot():
    snapshot = leakgraph.snapshot()
    assert snapshot.memory().host == snapshot.memory().host
    snapshot.close()
