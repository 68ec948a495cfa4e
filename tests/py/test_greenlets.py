"""A capture reads the frames of waiting greenlets like those of threads."""

import gc
import sys
import tracemalloc

import pytest
from builds import FREE_THREADED, PUBLIC

import leakgraph

greenlet = pytest.importorskip("greenlet", reason="pip install greenlet")

pytestmark = pytest.mark.skipif(
    PUBLIC or FREE_THREADED, reason="frames are read from the interpreter's memory"
)


class Thing:
    """Only a local holds this value."""


THINGS = []


def inner():
    hidden = Thing()
    THINGS.append(id(hidden))
    greenlet.getcurrent().parent.switch()
    return hidden


def outer():
    mine = bytearray(1 << 20)
    THINGS.append(id(mine))
    inner()
    return mine


@pytest.fixture
def waiting():
    THINGS.clear()
    one = greenlet.greenlet(outer)
    one.switch()
    yield one
    one.throw(greenlet.GreenletExit)


def node_at(snapshot, address):
    return next(node for node in snapshot.nodes if node.address == address)


def test_locals_belong_to_the_greenlet(waiting):
    references = sys.getrefcount(waiting)
    with leakgraph.snapshot() as snapshot:
        mine, hidden = (node_at(snapshot, address) for address in THINGS)
        labels = [
            {edge.label for edge in node.referrers() if not edge.weak}
            for node in (mine, hidden)
        ]
        assert labels == [{"local mine"}, {"local hidden"}]
        assert mine.unexplained == hidden.unexplained == 0
        holder = snapshot.find(waiting)
        frames = [e for e in holder.referents() if e.label.startswith("frame ")]
        assert [edge.label for edge in frames] == ["frame 0", "frame 1"]
        assert holder.text == '"outer"'
        assert holder.retained >= 1 << 20
        report = str(snapshot.why(hidden))
        assert "inner()" in report and "hidden" in report
        for edge in frames:
            assert edge.node.unexplained >= 0
    assert sys.getrefcount(waiting) == references


def test_greenlets_that_do_not_wait():
    done = greenlet.greenlet(lambda: None)
    done.switch()
    others = [greenlet.greenlet(outer), done, greenlet.getcurrent()]
    with leakgraph.snapshot() as snapshot:
        for one in others:
            labels = [edge.label for edge in snapshot.find(one).referents()]
            assert not any(label.startswith("frame ") for label in labels)


def test_a_greenlet_may_take_the_snapshot(waiting):
    def look():
        with leakgraph.snapshot() as snapshot:
            return node_at(snapshot, THINGS[0]).unexplained

    assert greenlet.greenlet(look).switch() == 0


def wait_below(depth):
    """Wait in calls of C, which need the C stack in all versions."""
    if depth == 0:
        return greenlet.getcurrent().parent.switch()
    return sorted([0], key=lambda _: wait_below(depth - 1) or 0)


def test_a_greenlet_has_the_copy_of_its_stack():
    """As tracemalloc counts what a switch of each allocates, in C and Python."""
    ones = [greenlet.greenlet(wait_below) for _ in range(100)]
    empty = leakgraph.snapshot().find(ones[0]).size
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.take_snapshot()
    for one in ones:
        one.switch(10)
    blocks = tracemalloc.take_snapshot().compare_to(before, "lineno")
    tracemalloc.stop()
    copies = max(block.size_diff for block in blocks)
    snapshot = leakgraph.snapshot()
    total = sum(snapshot.find(one).size - empty for one in ones)
    for one in ones:
        one.switch()
    assert total > 100 * 1000
    # From 3.12 on, the same line also allocates some 4 KiB that are no copy.
    least = 0.95 if sys.version_info < (3, 12) else 0.9
    assert least * copies < total < 1.05 * copies
    assert leakgraph.snapshot().find(ones[0]).size == empty
