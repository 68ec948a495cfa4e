"""What a program imports between two snapshots has come, and does not grow."""

import gc
import sys

import pytest

import leakgraph

pytestmark = [pytest.mark.ends, pytest.mark.small]

SOURCE = """
import abc
import enum

class Base(abc.ABC):
    pass

class Color(enum.Enum):
    RED = 1

class Entry(Base):
    def __init__(self, number):
        self.number = str(number) * 20

table = {number: Entry(number) for number in range(200)}
"""

kept = []


@pytest.fixture
def late(tmp_path, monkeypatch):
    """A module that nobody has imported yet."""
    (tmp_path / "late_module.py").write_text(SOURCE)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    yield lambda: __import__("late_module")
    sys.modules.pop("late_module", None)
    kept.clear()


def grown_by(growth, name):
    return [row for row in growth if name in f"{row.held_by} {row.type}"]


def test_a_module_that_the_first_of_two_snapshots_lacks_has_settled(late):
    before = leakgraph.snapshot()
    late()
    gc.collect()  # code that ran once waits for that in a free-threaded build
    kept.extend(bytearray(1000) for _ in range(100))
    after = leakgraph.snapshot()
    growth = leakgraph.diff(before, after)
    assert grown_by(growth, "late_module") == []
    assert [row.counts for row in grown_by(growth, f"{__name__}.kept")] == [(0, 100)]
    settled = leakgraph.diff(before, after, settled=True)
    told = grown_by(settled, "late_module")
    assert told
    assert {row.degree for row in told} == {"stopped"}


def test_a_module_that_both_have_may_grow(late):
    table = late().table
    before = leakgraph.snapshot()
    table.update((number, bytearray(1000)) for number in range(200, 300))
    growth = leakgraph.diff(before, leakgraph.snapshot())
    (row,) = grown_by(growth, "late_module.table")
    assert row.degree == "steady"
