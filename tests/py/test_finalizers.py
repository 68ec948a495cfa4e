"""Finalizers go with what they wait for: their registry is no leak of its own."""

import queue
import weakref

import pytest

import leakgraph

pytestmark = [pytest.mark.ends, pytest.mark.small]


class Entry:
    def __init__(self):
        self.data = bytearray(4000)


class Pool:
    def __init__(self):
        self.lent = []


pools = {}
filled = []


@pytest.fixture(autouse=True)
def fresh():
    yield
    pools.clear()
    filled.clear()


def compare(add, calls):
    snapshots = []
    for _ in range(4):
        for _ in range(calls):
            add()
        snapshots.append(leakgraph.snapshot())
    return leakgraph.diff(*snapshots)


def test_finalizers_of_what_grows_are_companions():
    def add():
        pool = pools.setdefault(len(pools), Pool())
        weakref.finalize(pool, id, 1)
        for _ in range(2):
            pool.lent.append(Entry())
            weakref.finalize(pool.lent[-1], id, 2)

    (row,) = compare(add, 30)
    assert row.held_by == f"{__name__}.pools[*]"
    assert row.counts == (30, 60, 90, 120)


def test_finalizers_of_what_fills_a_pool_fill_with_it():
    pool = queue.LifoQueue(150)
    filled.append(pool)

    def add():
        entry = Entry()
        pool.put_nowait(entry)
        weakref.finalize(entry, id, 3)

    assert len(compare(add, 30)) == 0


def test_finalizers_that_keep_what_they_wait_for_grow():
    def add():
        entry = Entry()
        weakref.finalize(entry, entry.data.append, entry)

    (row,) = compare(add, 30)
    assert "weakref.finalize._registry" in row.held_by
    assert row.counts == (30, 60, 90, 120)
    for finalizer in list(weakref.finalize._registry):
        finalizer.detach()
