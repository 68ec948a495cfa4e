"""The memory of this process's children: workers of a DataLoader, of a pool."""

from __future__ import annotations

import os
import sys
from array import array
from contextlib import suppress

from leakgraph._core import Size, _children, _line, _rank

TYPE_CHECKING = False
if TYPE_CHECKING:
    from leakgraph.budget import Budget

__all__ = ["Workers", "own_name"]

#: How many children to look at, and how many points to keep of each.
MOST, POINTS = 64, 30
#: How many samples of a watch come between two looks at the children.
EVERY = 5
#: The name of a child that takes a snapshot for a Watch.
OWN = "leakgraph"
#: Bytes of a page.
PAGE = os.sysconf("SC_PAGE_SIZE")
#: How many bytes the memory of a worker must gain to count as rising.
FLOOR = 1 << 20


class Worker:
    """A child, and its anonymous memory at some points.

    `first` are the bytes that only it had at the first point. To count these, the
    kernel looks at every page, which takes a thousand times as long.
    """

    def __init__(self, pid: int, name: str, first: int) -> None:
        self.pid, self.name, self.first = pid, name, first
        #: The bytes that only it has now; None: not measured.
        self.now: int | None = None
        self._x = array("d")
        self._bytes = array("d")

    @property
    def count(self) -> int:
        """How many points come before its end, when it frees most of its memory."""
        half = max(self._bytes, default=0.0) / 2
        count = len(self._bytes)
        while count and self._bytes[count - 1] < half:
            count -= 1
        return count

    @property
    def bytes(self) -> int:
        """The bytes that only it has, or had before it ended."""
        return self.first + self.gained

    @property
    def gained(self) -> int:
        """What these bytes gained; copied pages count only after measure()."""
        if self.now is not None:
            return self.now - self.first
        return self.grown

    @property
    def grown(self) -> int:
        """What its anonymous memory gained."""
        return int(self._bytes[self.count - 1] - self._bytes[0]) if self._bytes else 0

    def add(self, x: float, used: int) -> None:
        """Add a point; if there are too many, keep every other one."""
        if len(self._x) == POINTS:
            self._x, self._bytes = self._x[::2], self._bytes[::2]
        self._x.append(x)
        self._bytes.append(used)

    def is_rising(self) -> bool:
        """Whether it rises beyond its noise and the floor."""
        count = self.count
        _, _, rises = _line(self._x[:count].tobytes(), self._bytes[:count].tobytes())
        return rises and self.grown >= FLOOR

    def describe(self) -> str:
        """One line: who it is, its bytes, and whether they rise."""
        sign = "-" if self.gained < 0 else "+"
        gained = sign + str(Size({"host": abs(self.gained)}))
        line = f"{self.name} (pid {self.pid}): {Size({'host': self.bytes})}"
        return f"{line} of its own, {gained}{', rises' * self.is_rising()}"


class Workers:
    """All children that were seen, also those that are gone."""

    def __init__(self) -> None:
        self._known: dict[int, Worker] = {}
        self._due = 0

    def __bool__(self) -> bool:
        return bool(self._known)

    def look(self, samples: int, budget: Budget) -> None:
        """Look at all children after some samples: a look at a new child costs more."""
        if samples >= self._due:
            self._due = samples + EVERY
            since = budget.start()
            self.sample(budget.seconds)
            budget.spend(since)

    def sample(self, x: float) -> None:
        """Look at all children."""
        for pid in sorted(_children()):
            used = _anonymous_bytes(pid)
            if used is None:
                continue
            if pid not in self._known and len(self._known) < MOST:
                name = _name(pid)
                first = None if name == OWN else _own_bytes(pid)
                if first is not None:
                    self._known[pid] = Worker(pid, name, first)
            if pid in self._known:
                self._known[pid].add(x, used)

    def measure(self) -> None:
        """Measure the bytes that only each running child has.

        In a forked child, memory that it shared with its parent is its own once either
        has written to it, if only a reference count.
        """
        for worker in self._known.values():
            worker.now = _own_bytes(worker.pid)

    def lines(self) -> list[str]:
        """Return a line for each child, the one that gained the most first."""
        ordered = sorted(self._known.values(), key=lambda one: (-one.gained, one.pid))
        return [worker.describe() for worker in ordered]


def own_name() -> str:
    """A rank's number and the name that multiprocessing gave the process, if any."""
    rank = _rank()
    names = [] if rank is None else [f"rank {rank}"]
    process = sys.modules.get("multiprocessing.process")
    if process is not None and process.parent_process() is not None:
        names.append(f"{process.current_process().name} (pid {os.getpid()})")
    return ", ".join(names) + ": " if names else ""


def _anonymous_bytes(pid: int) -> int | None:
    """Return the resident bytes of no file; None: the process is gone."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            words = file.read().split()
    except OSError:
        return None
    return (int(words[1]) - int(words[2])) * PAGE


def _own_bytes(pid: int) -> int | None:
    """Return the bytes that a process shares with no other; None: it is gone."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
            lines = file.read().splitlines()
    except OSError:
        return None
    own = [line.split() for line in lines if line.startswith("Private_")]
    return 1024 * sum(int(words[1]) for words in own)


def _name(pid: int) -> str:
    """Return the name that multiprocessing gave the process, or else its command."""
    process = sys.modules.get("multiprocessing.process")
    for child in tuple(getattr(process, "_children", ())):
        with suppress(ValueError):
            if child.pid == pid:
                return str(child.name)
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return "process"
