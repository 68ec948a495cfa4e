"""Containers that keep only so many elements fill up, and do not leak."""

import collections
import functools
import gc
import os

import pytest

import leakgraph

pytestmark = pytest.mark.ends


class Log(collections.deque):
    """A deque of the program's own."""


class Entry:
    def __init__(self, number):
        self.values = [float(number)] * 20


class Owner:
    def __init__(self):
        self.kept = None


owner = Owner()


@pytest.fixture(autouse=True)
def fresh():
    yield
    owner.__init__()


def compare(work, times, calls=50, **options):
    snapshots = []
    for round_ in range(times):
        for call in range(calls):
            work(round_ * calls + call)
        gc.collect()
        snapshots.append(leakgraph.snapshot())
    return snapshots, leakgraph.diff(*snapshots, min_bytes=2000, **options)


def places(growth):
    return [row.holder for row in growth if "owner.kept" in row.holder]


@pytest.mark.parametrize("times", [2, 3, 5])
@pytest.mark.parametrize("kind", [collections.deque, Log])
def test_a_deque_below_its_maxlen_fills(kind, times):
    owner.kept = kind(maxlen=1000)
    _, growth = compare(lambda n: owner.kept.append(Entry(n)), times)
    assert places(growth) == []
    assert growth.settled > 0
    assert "or will at a limit" in str(growth)


def test_a_deque_without_a_limit_leaks():
    owner.kept = collections.deque()
    snapshots, growth = compare(lambda n: owner.kept.append(Entry(n)), 3)
    assert growth[0].verdict == "accumulates"
    assert growth[0].counts[-1] == 150
    assert "maxlen" not in snapshots[-1].find(owner.kept).facts


def test_a_limit_beyond_the_memory_of_the_machine_is_none():
    owner.kept = collections.deque(maxlen=10**9)
    snapshots, growth = compare(lambda n: owner.kept.append(Entry(n)), 3)
    assert growth[0].verdict == "accumulates"
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE")
    assert snapshots[0].info()["memory.machine"] == str(pages)


@pytest.mark.parametrize(
    ("maxsize", "leaks"), [(1000, False), (10**9, True), (None, True)]
)
def test_an_lru_cache_fills_up_to_its_maxsize(maxsize, leaks):
    owner.kept = functools.lru_cache(maxsize)(Entry)
    _, growth = compare(lambda n: owner.kept(n), 3)
    assert bool(places(growth)) == leaks


def test_what_elements_gain_is_told():
    owner.kept = collections.deque((bytearray(), bytearray()), maxlen=4)

    def extend(_):
        for blob in owner.kept:
            blob.extend(b"x" * 1000)

    _, growth = compare(extend, 3)
    assert growth[0].verdict == "grows in place"
    assert places(growth) == [growth[0].holder]


def test_more_and_more_deques_are_told():
    owner.kept = []
    _, growth = compare(
        lambda n: owner.kept.append(collections.deque([Entry(n)], maxlen=4)), 3
    )
    assert growth[0].verdict == "accumulates"
    assert growth[0].type_name == "collections.deque"


def test_one_deque_without_a_limit_makes_the_others_tell(tmp_path):
    owner.kept = [collections.deque(maxlen=1000), collections.deque()]

    def append(number):
        for each in owner.kept:
            each.append(Entry(number))

    _, growth = compare(append, 3)
    assert growth[0].verdict == "accumulates"


def test_a_summary_knows_limits(tmp_path):
    owner.kept = collections.deque(maxlen=1000)
    snapshots, _ = compare(lambda n: owner.kept.append(Entry(n)), 3)
    assert snapshots[-1].find(owner.kept).facts == {"maxlen": "1000"}
    paths = [
        each.summary(str(tmp_path / f"{number}.lgsum"))
        for number, each in enumerate(snapshots)
    ]
    growth = leakgraph.diff(*paths, min_bytes=2000)
    assert places(growth) == []
    assert growth.settled > 0
