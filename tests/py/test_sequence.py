"""Which snapshots a watch keeps, and which of them it compares."""

from types import SimpleNamespace

import pytest
from test_watch import FakeSnapshotFiles

from leakgraph.sequence import EARLIER, ENOUGH, SLOTS, Sequence

pytestmark = pytest.mark.ends


@pytest.fixture
def sequence():
    """A sequence whose snapshots are taken at the points that a test gives."""
    clock = SimpleNamespace(now=0.0)
    sequence = Sequence(FakeSnapshotFiles(clock))

    def take(*points):
        for point in points:
            clock.now = point
            sequence.take(lambda x=point: (x, 10 * x))

    sequence.fill = take
    return sequence


def points(sequence, whole):
    sequence.compare("step", whole=whole)
    return sequence._snapshots.compared[-1]


def test_it_spans_the_whole_time(sequence):
    sequence.begin_episode(1.0)
    sequence.fill(*range(3 * SLOTS))
    kept = points(sequence, whole=True)
    assert kept[0] == 0 and kept[-1] == 3 * SLOTS - 1
    assert ENOUGH <= len(kept) <= SLOTS
    assert sequence.seconds == [10 * point for point in kept]
    assert sequence.counted == sequence.count


def test_an_episode_is_compared_by_itself_and_with_what_was_before(sequence):
    sequence.begin_episode(1.0)
    sequence.fill(*range(6))
    sequence.begin_episode(1.0)
    assert sequence.count == EARLIER
    sequence.fill(100, 101, 102)
    assert not sequence.is_enough and sequence.first == 0
    sequence.fill(103)
    assert sequence.is_enough and sequence.first == EARLIER
    assert points(sequence, whole=True) == [0, 4, 5, 100, 101, 102, 103]
    assert points(sequence, whole=False) == [100, 101, 102, 103]


def test_room_is_made_by_what_was_before_the_episode(sequence):
    sequence.begin_episode(1.0)
    sequence.fill(*range(EARLIER))
    sequence.begin_episode(1.0)
    sequence.fill(*range(100, 100 + SLOTS - EARLIER))
    sequence.fill(200)
    assert sequence.first == 0 and sequence.is_enough
    assert points(sequence, whole=True) == [*range(100, 100 + SLOTS - EARLIER), 200]


def test_distances_widen(sequence):
    sequence.begin_episode(4.0)
    assert sequence.is_due(0) and not sequence.is_later(0)
    sequence.fill(10)
    assert not sequence.is_due(13.9) and sequence.is_due(14)
    assert sequence.is_later(11) and not sequence.is_later(10)
    sequence.fill(14)
    assert not sequence.is_due(19.9) and sequence.is_due(20)
    sequence.begin_episode(4.0)
    assert not sequence.is_due(14) and sequence.is_due(14.1)


def test_forget(sequence):
    sequence.begin_episode(1.0)
    sequence.fill(1, 2, 3)
    sequence.forget()
    assert (sequence.count, sequence.counted, sequence.seconds) == (0, 0, [])
    assert sequence._snapshots.slots == [None] * SLOTS
    sequence.fill(*range(10, 10 + ENOUGH))
    assert sequence.is_enough
