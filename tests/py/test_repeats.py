"""Tests leakgraph.repeat() and leakgraph.track()."""

import ctypes
import gc
import itertools
import os
from array import array

import pytest
from builds import FREE_THREADED

import leakgraph

pytestmark = [pytest.mark.ends, pytest.mark.small]


class Item:
    def __init__(self):
        self.values = [0.5] * 20


kept = []
RATE = None


@pytest.fixture(autouse=True)
def fresh():
    kept.clear()
    yield
    kept.clear()


def leak():
    kept.append(Item())


def own(growth):
    return [row for row in growth if __name__ in row.held_by]


def test_repeat_names_the_holder_and_the_rate():
    growth = leakgraph.repeat(leak, warmup=2, rounds=4, calls=10)
    assert len(kept) == 42
    row = growth[0]
    assert row.held_by == f"{__name__}.kept[*]"
    assert row.counts == (2, 12, 22, 32, 42)
    assert row.per_step == pytest.approx(row.per_interval / 10)
    assert row.per_step == pytest.approx(row.gained / 40, rel=0.2)
    assert growth.is_growing


def in_two_lists(number):
    made = type(f"Payload{number}", (), {"fields": [number] * 50})
    for name in (f"app.models.{number}", f"app.models.of.requests.{number}"):
        registry[name] = [made]


def of_two_globals(number):
    made = type("Payload" + chr(0x4E00 + number), (), {"fields": [number] * 50})
    for known in (registry, by_number):
        known[number] = made


def in_its_instance(number):
    made = type(f"Payload{number}", (), {"fields": [number] * 50})
    registry[number] = made()


def in_functions(number):
    values = [number] * 400

    def work():
        return values

    work.__name__ = work.__qualname__ = f"work_{number}"
    for known in (registry, by_number):
        known[number] = work


registry, by_number = {}, {}


@pytest.mark.parametrize(
    "make", [in_two_lists, of_two_globals, in_its_instance, in_functions]
)
def test_what_is_made_with_names_of_its_own_is_one_row(make):
    """Names that a program makes are no places: their bytes belong together."""
    numbers = itertools.count()
    growth = leakgraph.repeat(lambda: make(next(numbers)), warmup=2, calls=10)
    registry.clear()
    by_number.clear()
    row = growth[0]
    assert row.held_by.startswith(f"{__name__}.registry[*]")
    assert row.counts[-1] - row.counts[0] in (40, 80)
    assert row.gained >= 0.9 * growth.explained
    assert row.per_step > 1500
    assert growth.explained >= 0.95 * growth.gained


WAITING = """
import leakgraph, threading

gate = threading.Event()

def wait():
    threading.Thread(target=gate.wait, daemon=True).start()

growth = leakgraph.repeat(wait, warmup=3, rounds=4, calls=20)
print(*(row.type for row in growth), sep="\\n")
"""


def rows_in(out):
    """List the rows, without what each thread of a free-threaded build has: a heap."""
    rows = out.splitlines()
    heaps = FREE_THREADED and rows[0].startswith("mapped memory")
    return rows[1:] if heaps else rows


def test_the_table_of_who_waits_goes_with_the_threads(python):
    assert rows_in(python("-c", WAITING).out) == ["thread"]


LISTED = """
import leakgraph, threading

gate = threading.Event()
threads = []
names = {"first": 1}

def wait():
    threads.append(threading.Thread(target=gate.wait, daemon=True))
    threads[-1].start()
    names[len(names)] = None

growth = leakgraph.repeat(wait, warmup=3, rounds=4, calls=20)
print(*(f"{row.type} {row.held_by}" for row in growth), sep="\\n")
"""


def test_a_list_of_threads_that_run_goes_with_them(python):
    """A container beside it, which has no threads, does not."""
    rows = rows_in(python("-c", LISTED).out)
    assert [row.split()[0] for row in rows] == ["thread", "dict"]
    assert rows[1] == "dict __main__.names"


WEAK_KEYS = """
import leakgraph, weakref

class Key:
    pass

keys = []
data = weakref.WeakKeyDictionary()

def work():
    key = Key()
    keys.append(key)
    data[key] = bytearray(20_000)
    if REFERS:
        data[key] = [data[key], key]

growth = leakgraph.repeat(work, warmup=3, rounds=4, calls=20)
row = growth[0]
print(len(growth), row.type, row.held_by)
print(*sorted(holder.held_by for holder in row.holders))
print(row.freed > 83 * 20_000)
"""


def test_values_of_weak_keys_go_with_who_keeps_the_keys(python):
    ran = python("-c", "REFERS = False\n" + WEAK_KEYS).out.splitlines()
    assert ran[0] == "1 __main__.Key __main__.keys[*]"
    assert ran[1:] == ["__main__.keys", "True"]


def test_a_value_that_refers_to_its_key_stays_with_the_dictionary(python):
    """Whoever empties the list of keys alone frees nothing."""
    holders = python("-c", "REFERS = True\n" + WEAK_KEYS).out.splitlines()[1]
    assert holders == "__main__.data"


def test_repeat_sees_nothing_of_itself():
    growth = leakgraph.repeat(lambda: [Item() for _ in range(20)])
    assert list(growth) == []
    assert not growth.is_growing


def test_what_the_warm_up_fills_is_no_growth():
    cache = {}

    def work():
        cache.setdefault(len(cache) if len(cache) < 3 else 0, Item())

    assert list(leakgraph.repeat(work, warmup=5, rounds=2, calls=2)) == []


def test_garbage_of_work_is_no_growth():
    def work():
        item = Item()
        item.itself = item

    gc.disable()
    try:
        assert list(leakgraph.repeat(work, rounds=3, calls=5)) == []
    finally:
        gc.enable()


@pytest.mark.parametrize("when", [1, 4])
def test_an_exception_of_work_passes(when):
    files = len(os.listdir("/proc/self/fd"))

    def work():
        leak()
        if len(kept) == when:
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        leakgraph.repeat(work, warmup=2, rounds=2, calls=5)
    assert len(kept) == when
    assert len(os.listdir("/proc/self/fd")) == files


@pytest.mark.parametrize(
    "wrong", [{"warmup": -1}, {"rounds": 0}, {"calls": 0}, {"calls": 1.5}]
)
def test_impossible_numbers(wrong):
    with pytest.raises(leakgraph.ArgumentError, match=f"{next(iter(wrong))} must be"):
        leakgraph.repeat(leak, **wrong)
    assert kept == []


def test_what_cannot_be_called():
    with pytest.raises(TypeError, match="got NoneType: pass the function itself"):
        leakgraph.repeat(leak())
    kept.clear()


def test_no_file_is_left(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    files = len(os.listdir("/proc/self/fd"))
    growth = leakgraph.repeat(leak, rounds=2, calls=2)
    assert list(tmp_path.iterdir()) == []
    del growth
    assert len(os.listdir("/proc/self/fd")) == files


def test_track_says_that_two_snapshots_cannot_tell():
    with leakgraph.track() as tracked:
        for _ in range(30):
            leak()
    (row,) = own(tracked.growth)
    assert row.held_by == f"{__name__}.kept[*]"
    assert row.counts == (0, 30)
    assert "two snapshots cannot tell a leak" in str(tracked.growth)
    assert "rows of growth" in repr(tracked)


def test_track_shows_nothing_of_leakgraph():
    with leakgraph.track() as tracked:
        pass
    assert [row.held_by for row in tracked.growth if "leakgraph" in row.held_by] == []


@pytest.mark.skipif(FREE_THREADED, reason="mimalloc does not say what it has given out")
def test_small_blocks_that_no_object_explains():
    """One row shows the bytes that pymalloc uses for no object."""
    allocate = ctypes.pythonapi.PyObject_Malloc
    allocate.restype, allocate.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    free = ctypes.pythonapi.PyObject_Free
    free.restype, free.argtypes = None, [ctypes.c_void_p]
    blocks = array("Q", [0] * 6000)

    def work():
        for at in range(work.done, work.done + 1500):
            blocks[at] = allocate(100)
        work.done += 1500

    work.done = 0
    growth = leakgraph.repeat(work, warmup=1, rounds=3, calls=1, native=False)
    for address in blocks:
        free(address)
    (row,) = (row for row in growth if row.verdict == "native")
    assert row.held_by == "small blocks of Python that no object explains"
    assert row.gained == growth.unexplained_small
    assert growth.unexplained_small == pytest.approx(3 * 1500 * 112, rel=0.1)
    assert growth.unexplained == growth.unexplained_malloc + growth.unexplained_small
    assert "small blocks of Python +49" in str(growth)


def test_marks_tell():
    with leakgraph.track(min_bytes=1000) as tracked:
        for _ in range(3):
            for _ in range(10):
                leak()
            tracked.mark()
        for _ in range(10):
            leak()
        assert "4 snapshots" in repr(tracked)
        with pytest.raises(leakgraph.ClosedError):
            tracked.growth
    (row,) = own(tracked.growth)
    assert row.counts == (0, 10, 20, 30, 40)
    with pytest.raises(leakgraph.ClosedError, match="inside the block"):
        tracked.mark()
    with pytest.raises(leakgraph.ClosedError, match="one block"), tracked:
        pass


def test_an_exception_in_the_block_passes():
    with pytest.raises(KeyError), leakgraph.track() as tracked:
        raise KeyError
    with pytest.raises(leakgraph.ClosedError, match="without an exception"):
        tracked.growth


def test_a_block_has_so_many_marks(monkeypatch):
    monkeypatch.setattr("leakgraph.repeats.MARKS", 3)
    with leakgraph.track() as tracked:
        tracked.mark()
        with pytest.raises(leakgraph.ArgumentError, match="1 mark"):
            tracked.mark()
    assert tracked.growth.snapshots == 3


def test_a_snapshot_sees_what_a_growth_has():
    """Otherwise the results that a program keeps look like growth of nobody."""
    with leakgraph.track() as tracked:
        kept.append(tracked)
    taken = leakgraph.snapshot()
    assert "Growth" in str(taken.why(tracked.growth.accounts))
    kept.clear()


def test_snapshots_tell_how_far_they_are():
    phases = {"repeat": [], "track": []}

    def tell(name):
        return lambda phase, _: phases[name].append(phase)

    leakgraph.repeat(list, warmup=0, rounds=1, calls=1, progress=tell("repeat"))
    with leakgraph.track(progress=tell("track")):
        pass
    assert all(phases.values()), phases
