"""A heap of records for timing: objects of every everyday kind, linked."""

from __future__ import annotations

import random

# A record has about ten objects: itself, its name, two lists, a dict, two floats and an
# int, a tuple and an object with slots.
OBJECTS_PER_RECORD = 10


class Point:
    """An object whose attributes are slots."""

    __slots__ = ("number", "other", "record")

    def __init__(self, record: Record, other: Record | None) -> None:
        self.record = record
        self.other = other
        self.number = record.number


class Record:
    """An object with a namespace, linked to the one made before it."""

    def __init__(self, number: int, previous: Record | None) -> None:
        self.number = number + 1_000_000_007
        self.name = f"record {number}"
        self.previous = previous
        self.tags: list[object] = ["small", "old", previous]
        self.children: list[Record] = []
        self.place = {"x": number * 0.5, "y": number * 0.25}
        self.key = (self.name, self.number, self.place)
        self.point = Point(self, previous)


def records(objects: int, *, shuffled: bool) -> list[Record]:
    """A list of records, with about so many objects in all.

    In order, each record refers to its neighbours in memory, as in a heap that was just
    loaded. Shuffled, it refers to any others, as in a long-running process.
    """
    made: list[Record] = []
    previous = None
    for number in range(objects // OBJECTS_PER_RECORD):
        previous = Record(number, previous)
        made.append(previous)
    if shuffled:
        _shuffle(made)
    return made


def _shuffle(made: list[Record]) -> None:
    """Exchange parts between records at random, but the same way in each run."""
    chance = random.Random(1)
    others = made[:]
    chance.shuffle(others)
    for record, other in zip(made, others):
        record.previous = other
        record.tags[2] = chance.choice(others)
        record.place, other.place = other.place, record.place
        record.point, other.point = other.point, record.point
        record.key = (other.name, other.number, record.place)
        other.children.append(record)
    chance.shuffle(made)
