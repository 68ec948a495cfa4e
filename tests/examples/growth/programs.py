"""Programs that leak at a known rate, that are honest but move, and that do both.

Each program is a class with a method `step`. A leaking one says where in `holder`, and
how many bytes a step leaks in `rate`, measured with sys.getsizeof().
"""

import collections
import functools
import random
import sys


class Record:
    __slots__ = ("data",)

    def __init__(self, size):
        self.data = b"x" * size


def size_of(record):
    return sys.getsizeof(record) + sys.getsizeof(record.data)


class Cell:
    __slots__ = ("data", "next")

    def __init__(self, data, following):
        self.data = data
        self.next = following


class ListHistory:
    """Every record stays in a list."""

    holder = "program.history[*]"

    def __init__(self):
        self.history = []
        self.rate = size_of(Record(2000)) + 8

    def step(self, number):
        self.history.append(Record(2000))


class DictCache:
    """A cache without a limit, whose keys are made for each call."""

    holder = "program.cache[*]"

    def __init__(self):
        self.cache = {}
        self.rate = sys.getsizeof(b"x" * 4000) + sys.getsizeof("key 100") + 100

    def step(self, number):
        self.cache[f"key {number}"] = b"x" * (4000 + number % 2)


class LinkedList:
    """Each element refers to the one before it."""

    holder = "program.head.next"

    def __init__(self):
        self.head = None
        self.rate = sys.getsizeof(Cell(None, None)) + sys.getsizeof(b"x" * 1000)

    def step(self, number):
        self.head = Cell(b"x" * (1000 + number % 2), self.head)


class Buffer:
    """Bytes that nobody empties."""

    holder = "program.buffer"

    def __init__(self):
        self.buffer = b""
        self.rate = 5000

    def step(self, number):
        self.buffer = self.buffer + b"x" * 5000


class Ring:
    """A ring that was full long ago."""

    def __init__(self):
        self.ring = collections.deque(maxlen=20)

    def step(self, number):
        self.ring.append(Record(3000))


class Sawtooth:
    """A buffer that is flushed now and then."""

    def __init__(self):
        self.batch = []

    def step(self, number):
        self.batch.append(Record(1000))
        if len(self.batch) >= 33:
            self.batch.clear()


class BoundedCache:
    """A function's cache with a limit."""

    def __init__(self):
        self.load = functools.lru_cache(maxsize=30)(lambda number: Record(1000))

    def step(self, number):
        self.load(number)


class LeakBehindRing:
    """A ring, and a leak beside it."""

    holder = "program.kept[*]"

    def __init__(self):
        self.ring = collections.deque(maxlen=20)
        self.kept = []
        self.rate = size_of(Record(1500)) + 8

    def step(self, number):
        self.ring.append(Record(9000))
        self.kept.append(Record(1500))


class LeakUnderNoise:
    """Objects come and go at random, and some stay."""

    holder = "program.sessions[*]"

    def __init__(self):
        self.random = random.Random(1)
        self.sessions = {}
        self.busy = []
        self.rate = size_of(Record(2500)) + sys.getsizeof(10**6) + 100

    def step(self, number):
        self.sessions[10**6 + number] = Record(2500)
        self.busy = [Record(500) for _ in range(self.random.randrange(50))]


class LeakPerRequest:
    """Handlers that are replaced, each of which leaves its log behind."""

    holder = "program.logs[*]"

    def __init__(self):
        self.logs = []
        self.handlers = {}
        self.rate = sys.getsizeof([0]) + size_of(Record(1800)) + 8

    def step(self, number):
        self.handlers[number % 5] = Record(700)
        self.logs.append([Record(1800)])


LEAKING = [ListHistory, DictCache, LinkedList, Buffer]
HONEST = [Ring, Sawtooth, BoundedCache]
MIXED = [LeakBehindRing, LeakUnderNoise, LeakPerRequest]
