"""Captures follow each other: at the requested place, in the memory of earlier ones."""

import gc
import sys

import pytest
from builds import DROPPED

import leakgraph

pytestmark = [pytest.mark.ends, pytest.mark.small]

# Columns of more than 2 MiB, and of 4: captures keep whole huge pages of these.
SIZES = (290_000, 310_000, 620_000, 270_000, 900_000, 300_000)

LIMIT = 1 << 30


@pytest.fixture
def kept():
    """Keep the memory of closed snapshots."""
    before = leakgraph.keep_memory(LIMIT)
    yield
    assert leakgraph.keep_memory(before) == LIMIT


def check(snapshot, made):
    """The list `made` refers to each of its lists, and each of those to None."""
    address = snapshot.column("address")
    first = snapshot.column("first_edge")
    target = snapshot.column("edge_target")

    def referents(node):
        return target[first[node] : first[node + 1]]

    children = referents(snapshot.find(made).index)
    assert len(children) == len(made)
    for i in (0, 1, len(made) // 3, len(made) - 1):
        child = children[i]
        assert address[child] == id(made[i])
        assert [address[node] for node in referents(child)] == [id(None)]
        assert snapshot.column("refcount")[child] == 1
        assert snapshot.column("found")[child] == 1


@pytest.mark.parametrize("most", [1, 2])
def test_heaps_that_grow_and_shrink(most, kept):
    """Some snapshots stay open at a time: kept memory lies between theirs."""
    grow_and_shrink(most)


@pytest.mark.parametrize("most", [1, 2])
def test_the_same_without_kept_memory(most):
    grow_and_shrink(most)


def grow_and_shrink(most):
    # The collector plays no part here, and would visit each list many times.
    gc.disable()
    try:
        snapshots_of_lists(most)
    finally:
        gc.enable()


def snapshots_of_lists(most):
    still_open = []
    for size in SIZES:
        made = [[None] for _ in range(size)]
        snapshot = leakgraph.snapshot()
        check(snapshot, made)
        still_open.append((snapshot, made))
        if len(still_open) > most:
            snapshot, made = still_open.pop(0)
            check(snapshot, made)
            snapshot.close()
    for snapshot, made in still_open:
        check(snapshot, made)
        snapshot.close()


def test_a_kernel_that_does_not_move_mappings(python, preload):
    code = """if 1:
        import ctypes
        import test_captures_in_turn
        test_captures_in_turn.leakgraph.keep_memory(1 << 30)
        test_captures_in_turn.grow_and_shrink(2)
        assert ctypes.c_long.in_dll(ctypes.CDLL(None), "moves_failed").value > 0
    """
    here = ":".join(entry for entry in sys.path if entry)
    done = python("-c", code, LD_PRELOAD=preload("unmoved"), PYTHONPATH=here)
    assert done.code == 0, done.err


# Texts come in columns whose size nobody knows in advance: these grow as they fill. By
# chance it takes ten captures until the kept blocks have the sizes that are asked for.
AGAIN_AND_AGAIN = """if 1:
    import gc, os, leakgraph
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
    leakgraph.keep_memory(1 << 30)
    texts = [f"a text of its own, number {i}" for i in range(300_000)]
    gc.disable()
    after = []
    for _ in range(35):
        leakgraph.snapshot(previews=True).close()
        after.append(resident())
    print(after[-1] - after[14])
"""


def test_memory_kept_does_not_become_more(python):
    done = python("-c", AGAIN_AND_AGAIN)
    assert done.code == 0, done.err
    assert int(done.out) < 16 << 20


# Lists what a bystander sees before and after, of memory and of mappings.
BYSTANDER = f"""if 1:
    import gc, os, leakgraph
    def seen():
        with open("/proc/self/statm") as file:
            pages = int(file.read().split()[1])
        with open("/proc/self/maps") as file:
            return pages * os.sysconf("SC_PAGESIZE"), len(file.readlines())
    made = [[i] for i in range(300_000)]
    gc.collect()
    gc.disable()
    before = seen()
    def measure():
        with leakgraph.snapshot() as snapshot:
            snapshot.types(), snapshot.find(made).referrers()
        {DROPPED}
        after = seen()
        print(after[0] - before[0], after[1] - before[1])
    measure()
    leakgraph.keep_memory(1 << 30)
    measure()
    leakgraph.keep_memory(0)
    print(*(after - old for old, after in zip(before, seen())))
"""


def test_memory_is_given_back(python):
    done = python("-c", BYSTANDER)
    assert done.code == 0, done.err
    default, kept, afterwards = (
        [int(figure) for figure in line.split()] for line in done.out.splitlines()
    )
    assert default[0] < 8 << 20 < kept[0]
    assert afterwards[0] < 8 << 20
    assert default[1] < 8 and afterwards[1] < 8


@pytest.mark.parametrize("value", [-1, 1 << 64, "1 GiB", None])
def test_what_can_be_kept(value):
    with pytest.raises((OverflowError, TypeError)):
        leakgraph.keep_memory(value)


# A walk that its budget stops forgets the keys that it met. Their columns are in pages
# that an earlier capture has written to.
STOPPED = """if 1:
    import gc, leakgraph
    leakgraph.keep_memory(1 << 30)
    keys = {(f"a key, number {i}", i): i for i in range(300_000)}
    gc.disable()
    for _ in range(2):
        leakgraph.snapshot().close()
    stopped = 0
    for budget in range(8, 200, 8):
        try:
            leakgraph.snapshot(max_bytes=budget << 20).close()
        except leakgraph.LimitError:
            stopped += 1
    print(stopped, len(leakgraph.snapshot()) > 900_000)
"""


def test_a_walk_that_is_stopped(python):
    done = python("-c", STOPPED)
    assert done.code == 0, done.err
    stopped, whole = done.out.split()
    assert int(stopped) > 5 and whole == "True"
