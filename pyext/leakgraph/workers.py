"""The memory of this process's children: workers of a DataLoader, of a pool."""

from __future__ import annotations

import os
import sys
from array import array
from contextlib import suppress
from time import thread_time

from leakgraph._core import Size, _children, _line, _rank
from leakgraph.processes import resident

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
#: The share of the time that a measurement of one child may take.
SHARE = 0.01
#: How many bytes the memory of a worker must gain to count as rising.
FLOOR = 1 << 20


class Worker:
    """A child, its anonymous memory at some points, and the bytes that only it has.

    To count the latter, the kernel looks at every page, which takes a thousand times as
    long. Between two such measurements, the anonymous memory says what it gains.

    first      the bytes that only it had when it began
    allocated  the bytes that it had allocated before the first point; None: it is no
               forked child, so it copies nothing from its parent
    """

    def __init__(
        self, pid: int, name: str, first: int, allocated: int | None = None
    ) -> None:
        self.pid, self.name, self.first = pid, name, first
        self._allocated = allocated
        self._own, self._anonymous = first, 0.0
        self._due = 0.0
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
        return self._own + int(self._last - self._anonymous)

    @property
    def gained(self) -> int:
        """What these bytes gained, with pages that it copied."""
        return self.bytes - self.first

    @property
    def copied(self) -> int:
        """The bytes that it shared with its parent until one of both wrote to them."""
        if self._allocated is None:
            return 0
        return max(self.gained - self._allocated - self.grown, 0)

    @property
    def _last(self) -> float:
        """Its anonymous memory at the last point before its end."""
        return self._bytes[self.count - 1] if self._bytes else 0.0

    @property
    def grown(self) -> int:
        """What its anonymous memory gained."""
        return int(self._last - self._bytes[0]) if self._bytes else 0

    def add(self, x: float, used: int) -> None:
        """Add a point; if there are too many, keep every other one."""
        if len(self._x) == POINTS:
            self._x, self._bytes = self._x[::2], self._bytes[::2]
        if not self._x:
            self._anonymous = used
        self._x.append(x)
        self._bytes.append(used)

    def measure(self, x: float = 0.0) -> None:
        """Count the bytes that only it has; keep the last number if it has ended."""
        since = thread_time()
        own = _own_bytes(self.pid)
        if own:
            self._own, self._anonymous = own, self._last
        self._due = x + (thread_time() - since) / SHARE

    def is_due(self, x: float) -> bool:
        """Whether a measurement costs no more than its share of the time."""
        return x >= self._due

    def is_rising(self) -> bool:
        """Whether it rises beyond its noise and the floor."""
        count = self.count
        _, _, rises = _line(self._x[:count].tobytes(), self._bytes[:count].tobytes())
        return rises and self.grown >= FLOOR

    def describe(self) -> str:
        """One line: who it is, its bytes, and whether they rise."""
        sign = "-" if self.gained < 0 else "+"
        gained = sign + str(Size({"host": abs(self.gained)}))
        line = f"{self.name} (pid {self.pid}): {Size({'host': self.bytes})} of its own"
        if self.copied >= FLOOR:
            gained += f", {Size({'host': self.copied})} of it copied from its parent"
        return f"{line}, {gained}{', rises' * self.is_rising()}"


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
                self._meet(pid, used)
            if pid in self._known:
                worker = self._known[pid]
                worker.add(x, used)
                if worker.is_due(x):
                    worker.measure(x)

    def _meet(self, pid: int, used: int) -> None:
        """Add a child that was not seen before.

        A forked child began with nothing of its own, and shared what its parent had.
        """
        name = _name(pid)
        own = None if name == OWN else _own_bytes(pid)
        if own is None:
            return
        if _is_forked(pid):
            here = _anonymous_bytes(os.getpid()) or 0
            self._known[pid] = Worker(pid, name, 0, max(used - here, 0))
        else:
            self._known[pid] = Worker(pid, name, own)

    def measure(self) -> None:
        """Measure the bytes that only each running child has.

        In a forked child, memory that it shared with its parent is its own once either
        has written to it, if only a reference count.
        """
        for worker in self._known.values():
            worker.measure()

    def lines(self) -> list[str]:
        """Return a line for each child, the one that gained the most first."""
        ordered = sorted(self._known.values(), key=lambda one: (-one.gained, one.pid))
        lines = [worker.describe() for worker in ordered]
        if any(worker.copied >= FLOOR for worker in ordered):
            lines.append(
                f"While they run, `leakgraph tree {os.getpid()}` says which objects the"
                " children copied from their parent."
            )
        return lines


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
    read = resident(pid)
    return None if read is None else read[0] - read[1]


def _own_bytes(pid: int) -> int | None:
    """Return the bytes that a process shares with no other; None: it is gone."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
            lines = file.read().splitlines()
    except OSError:
        return None
    own = [line.split() for line in lines if line.startswith("Private_")]
    return 1024 * sum(int(words[1]) for words in own)


def _is_forked(pid: int) -> bool:
    """Whether the child runs the parent's program, whose arguments it then has."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            there = file.read()
        with open("/proc/self/cmdline", "rb") as file:
            return file.read() == there
    except OSError:
        return False


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
