"""Watches the memory of a running program, and says what holds what grows.

Most of the time a Watch only reads a few numbers. Where they rise, it lets forked
children take snapshots at growing distances, compares them, and goes on.
"""

from __future__ import annotations

import gc
import os
import threading
import time
import weakref
from array import array

from leakgraph import samples
from leakgraph._core import Error
from leakgraph.budget import Budget, processor
from leakgraph.evidence import Evidence
from leakgraph.leak_text import describe, nothing, sample_lines
from leakgraph.sites import Traces
from leakgraph.telling import tell
from leakgraph.workers import Workers, own_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from leakgraph._core import Growth, GrowthRow
    from leakgraph.telling import _OnLeak

__all__ = ["Watch"]

#: Seconds between two samples: SOON at first, SELDOM at most.
SOON, SELDOM = 0.1, 60.0
#: How many samples come between two looks at the trend.
LOOK = 15
#: How many snapshots are compared: at least ENOUGH, and SLOTS at most. Three may still
#: all come while a program warms up.
ENOUGH, SLOTS = 4, 6
#: The first distance of two snapshots, as a share of the time in which growth showed,
#: and the factor from each distance to the next.
FIRST, WIDER = 0.25, 1.5
#: Growth by fewer bytes is not reported.
LEAST = 16 << 10


class Watch:
    """What watch() returns."""

    # clock, work, read, evidence and background are for tests: the time in seconds,
    # those that a processor has worked for this thread, the numbers of a sample, what
    # takes snapshots, and whether a thread of its own takes them.
    def __init__(
        self,
        budget: float = 0.01,
        on_leak: _OnLeak = "warn",
        traces: bool = False,
        *,
        clock: Callable[[], float] = time.perf_counter,
        work: Callable[[], float] = processor,
        read: Callable[[], tuple[float, ...]] = samples.read,
        evidence: Evidence | None = None,
        background: bool = True,
    ) -> None:
        self._on_leak, self._traces = on_leak, Traces(traces)
        self._budget = Budget(budget, clock, work)
        self._clock, self._read, self._background = clock, read, background
        self._evidence = Evidence(SLOTS) if evidence is None else evidence
        self._window = samples.Window()
        self._workers = Workers()
        self._points = array("d", bytes(8 * SLOTS))
        self._taken = 0
        self._gap = 0.0
        self._due = clock()
        self._distance = SOON
        self._looks = 0
        self._by_time = False
        self._steps = 0
        self._rising: list[str] = []
        self._described: dict[str, str] = {}
        self._pending: list[tuple[GrowthRow, Growth, str]] = []
        self._job: threading.Thread | None = None
        self._sampler: threading.Thread | None = None
        self._end = threading.Event()
        self._busy = threading.Lock()
        self._is_over = False
        _watches.add(self)

    @property
    def steps(self) -> int:
        """How often step() was called."""
        return self._steps

    @property
    def leaks(self) -> list[str]:
        """The reports so far: a sentence for each place."""
        return list(self._described.values())

    def __repr__(self) -> str:
        state = "stopped" if self._is_over else f"{self._steps} steps"
        return f"<leakgraph.Watch: {state}, {len(self._described)} leaks>"

    def __enter__(self) -> Watch:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.stop()
        else:
            self.abandon()

    def __reduce__(self) -> tuple[Callable[[], Watch], tuple[()]]:
        """A copy in another process watches nothing."""
        return _stopped, ()

    def step(self) -> None:
        """Count a step of the program, and sample if it is time to."""
        if self._is_over:
            return
        self._steps += 1
        if self._pending:
            self._tell(3)
        if self._clock() >= self._due:
            self._sample()
            if self._pending:
                self._tell(3)

    def stop(self) -> None:
        """Stop watching, and report the rest; waits for a snapshot in progress."""
        self.abandon()
        self._tell(3)

    def conclude(self) -> None:
        """At the end of a program: stop, look a last time, and report the rest.

        If memory rises and there is a snapshot, takes another one and compares them,
        whatever the budget.
        """
        if self._is_over:
            return
        self._end_threads()
        self._window.add(max(self._x(), self._window.end + 1), self._read())
        self._rising = self._window.rising() or self._rising
        if self._rising and self._taken:
            if gc.isenabled():
                gc.collect()
            self._gather(self._x(), None, enough=2)
        self.stop()

    def abandon(self) -> None:
        """Stop watching, and report nothing."""
        if self._is_over:
            return
        self._is_over = True
        self._end_threads()
        self._traces.end()
        self._evidence.close()

    def _end_threads(self) -> None:
        """Let the threads end."""
        self._end.set()
        for thread in (self._sampler, self._job):
            if thread not in (None, threading.current_thread()):
                thread.join()

    def report(self) -> str:
        """What was seen so far, as text."""
        seconds = self._budget.seconds
        self._workers.sample(seconds)
        self._workers.measure()
        x = f"{self._steps:,} steps" if self._steps else f"{seconds:,.0f} s"
        lines = [
            f"Watched for {x}.",
            *sample_lines(self._rising, self._window.gained()),
            *self._workers.lines(),
            *(self._described.values() or [nothing(self._taken)]),
        ]
        return "\n".join(lines)

    # --------------------------------------------------------------- sampling ---

    def _sample_each(self, every: float) -> None:
        """Sample by time, in a thread."""
        self._distance, self._by_time = every, True

        def run() -> None:
            while not self._end.wait(self._distance):
                self._sample()
                if self._on_leak != "raise":
                    self._tell(1)

        self._sampler = threading.Thread(target=run, name="leakgraph-watch")
        self._sampler.daemon = True
        self._sampler.start()

    def _x(self) -> float:
        """How far the program is: in steps, or in seconds if it samples by time."""
        return self._budget.seconds if self._by_time else float(self._steps)

    def _sample(self) -> None:
        """Read the numbers, look at their trend, and act on it."""
        if not self._busy.acquire(blocking=False):
            return
        try:
            begin, x = self._clock(), self._x()
            since = self._budget.start()
            if self._job is not None and self._job.is_alive():
                self._due = begin + self._distance
                return
            if self._window.count == 0 or self._window.end < x:
                if self._window.add(x, self._read()):
                    self._distance = min(2 * self._distance, SELDOM)
                self._look()
            paid = self._budget.sampled(since)
            self._due = max(begin + self._distance, paid)
            self._workers.look(self._looks, self._budget)
            self._consider(begin, x)
        finally:
            self._busy.release()

    def _look(self) -> None:
        """Now and then, look whether memory in use rises."""
        self._looks += 1
        if self._looks % LOOK == 0:
            self._rising = self._window.rising()
            if self._rising and not self._taken:
                self._gap = FIRST * self._window.span

    # -------------------------------------------------------------- snapshots ---

    def _consider(self, now: float, x: float) -> None:
        """Take the next snapshot if growth calls for it and the budget pays for it."""
        if not self._taken and not self._rising:
            return
        if self._taken and x < self._points[self._taken - 1] + self._gap:
            return
        if not self._budget.has(now):
            return
        since = self._budget.start()
        if gc.isenabled():
            # Collect first: what the collector would free is no leak.
            gc.collect()
        self._budget.spend(since)
        if not self._background:
            self._gather(x, None)
            return
        forked = threading.Event()
        self._job = threading.Thread(
            target=self._gather, args=(x, forked), name="leakgraph-snapshot"
        )
        self._job.daemon = True
        self._job.start()
        # Wait for the fork, so that the snapshot shows the program between two steps.
        forked.wait()

    def _gather(
        self, x: float, forked: threading.Event | None, enough: int | None = None
    ) -> None:
        """Take a snapshot, and compare it with the earlier ones."""
        since = self._budget.start()
        try:
            self._make_room()
            self._evidence.take(
                self._taken, None if forked is None else lambda *_: forked.set()
            )
            self._points[self._taken] = x
            self._taken += 1
            self._gap *= WIDER if self._taken > 1 else 1
            if self._taken >= (enough or ENOUGH):
                self._compare()
            elif self._taken == ENOUGH - 1 and not self._end.is_set():
                self._traces.begin()
        except (Error, OSError, MemoryError):
            # There is no memory, disk or process for it now; try again later.
            self._stand_down()
        finally:
            if forked is not None:
                forked.set()
            self._budget.spend(since, is_snapshot=True)

    def _make_room(self) -> None:
        """If all slots are full, keep every other snapshot."""
        if self._taken < SLOTS:
            return
        for slot in range(1, SLOTS // 2):
            self._evidence.move(2 * slot, slot)
            self._points[slot] = self._points[2 * slot]
        for slot in range(SLOTS // 2, SLOTS):
            self._evidence.drop(slot)
        self._taken = SLOTS // 2

    def _compare(self) -> None:
        """Report what grows for the first time; if nothing grows, stand down."""
        growth, new = self._find(nodes=False)
        if not new:
            self._traces.end()
            if not self._rising or not growth.is_growing:
                self._stand_down()
            return
        if not self._end.is_set() and self._traces.begin():
            return
        above = None
        if self._traces.is_running:
            above = self._evidence.holders(
                self._taken, steps=self._points[: self._taken], min_bytes=LEAST
            )
        traced = new
        if self._traces.is_running and above is None:
            # Compare again here, because no other process can say what holds what
            # grows.
            _, traced = self._find(nodes=True)
        lines = self._traces.end(traced, above)
        if not self._end.is_set() and self._traces.deepen(lines):
            return
        for row in new:
            text = own_name() + describe(row, lines.get(row.place))
            self._described[row.place] = text
            self._pending.append((row, growth, text))

    def _find(self, nodes: bool) -> tuple[Growth, list[GrowthRow]]:
        """Return what grows, and which of it was not reported yet."""
        growth = self._evidence.compare(
            self._taken,
            steps=self._points[: self._taken],
            unit="second" if self._by_time else "step",
            min_bytes=LEAST,
            nodes=nodes,
        )
        return growth, [
            row
            for row in growth
            if row.degree == "steady"
            and row.place not in self._described
            and not row.minor
        ]

    def _stand_down(self) -> None:
        """Forget the snapshots, and begin again with new samples."""
        self._traces.end()
        for slot in range(SLOTS):
            self._evidence.drop(slot)
        self._taken = 0
        self._rising = []
        self._window.clear()

    # ------------------------------------------------------------------ telling ---

    def _tell(self, level: int) -> None:
        """Report what was found, each place once."""
        while self._pending:
            tell(self._on_leak, *self._pending.pop(0), level)

    def _forget(self) -> None:
        """In a forked child: watch nothing, and wait for nothing."""
        self._is_over = True
        self._pending = []
        self._evidence.close()


def _stopped() -> Watch:
    """Return a watch that has ended."""
    watch = Watch()
    watch.stop()
    return watch


def _forget_in_child() -> None:
    """A forked child is not watched."""
    for watch in list(_watches):
        watch._forget()


_watches: weakref.WeakSet[Watch] = weakref.WeakSet()
os.register_at_fork(after_in_child=_forget_in_child)
