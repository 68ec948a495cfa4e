"""Watches the memory of a running program, and says what holds what grows.

Most of the time a Watch only reads a few numbers. Where they rise, it lets forked
children take snapshots at growing distances, compares them, and goes on.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
import warnings
import weakref
from array import array

from leakgraph import samples
from leakgraph._core import ArgumentError, Error
from leakgraph.evidence import Evidence
from leakgraph.told import LeakError, LeakWarning, describe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType
    from typing import Literal

    from leakgraph._core import Growth, GrowthRow
    from leakgraph.sites import Tracing

    _OnLeak = Literal["warn", "raise"] | Callable[[GrowthRow, Growth], object]

__all__ = ["LeakError", "LeakWarning", "Watch", "watch"]

#: Seconds between two samples: SOON at first, up to SELDOM.
SOON, SELDOM = 0.1, 60.0
#: The share of the budget that samples may take; the rest is for snapshots.
SAMPLING = 0.1
#: Samples between two looks at the trend.
LOOK = 15
#: Snapshots that are compared: from ENOUGH on, and SLOTS at most. Three could still be
#: taken while a program warms up.
ENOUGH, SLOTS = 4, 6
#: The first distance of two snapshots, as a share of the time in which growth showed,
#: and the factor of each next one.
FIRST, WIDER = 0.25, 1.5
#: What gained fewer bytes is not told.
LEAST = 16 << 10
#: Seconds that a snapshot and a comparison are planned for before one was measured:
#: for each block of memory that Python has, and at least.
PER_BLOCK, AT_LEAST = 2e-6, 0.05


def watch(
    every: float | None = None,
    budget: float = 0.01,
    on_leak: _OnLeak = "warn",
    traces: bool = False,
) -> Watch:
    """Watch the memory of this process from now on.

    Call step() of the result once in each step of the program's loop, or let `every`
    sample by time. Where the memory in use rises steadily, snapshots by forked children
    are compared, and each place that goes on growing is told once.

    every    seconds between two samples that a thread takes, for a program without
             steps; None: only step() samples, at most ten times a second
    budget   the share of the elapsed time that samples, snapshots and comparisons may
             take
    on_leak  "warn" with LeakWarning; "raise" LeakError from step() or stop(); or a
             function, which is called with the GrowthRow and its Growth
    traces   when growth is found, let tracemalloc run until the next comparison, so
             that the line that allocates is told, too

    The end of a `with` block stops it, as stop() does. A child made by fork is not
    watched, nor is a worker that gets a copy: start a watch there. A free-threaded
    build takes its snapshots without a child, and stops for them.

    Raises ArgumentError for an impossible every, budget or on_leak.
    """
    if every is not None and not every > 0:
        raise ArgumentError(f"every must be more than 0 seconds, not {every!r}.")
    if not 0 < budget <= 1:
        raise ArgumentError(f"budget must be more than 0 and at most 1, not {budget}.")
    if on_leak not in ("warn", "raise") and not callable(on_leak):
        raise ArgumentError(
            f"on_leak must be 'warn', 'raise' or a function, not {on_leak!r}."
        )
    watch = Watch(budget, on_leak, traces)
    if every is not None:
        watch._sample_each(every)
    return watch


class Watch:
    """What watch() returns.

    clock, read, evidence and background are for tests: the time in seconds, the numbers
    of a sample, what takes snapshots, and whether a thread of its own takes them.
    """

    def __init__(
        self,
        budget: float = 0.01,
        on_leak: _OnLeak = "warn",
        traces: bool = False,
        *,
        clock: Callable[[], float] = time.perf_counter,
        read: Callable[[], tuple[float, ...]] = samples.read,
        evidence: Evidence | None = None,
        background: bool = True,
    ) -> None:
        self._budget, self._on_leak, self._traces = budget, on_leak, traces
        self._clock, self._read, self._background = clock, read, background
        self._evidence = Evidence(SLOTS) if evidence is None else evidence
        self._window = samples.Window()
        self._points = array("d", bytes(8 * SLOTS))
        self._taken = 0
        self._gap = 0.0
        self._begin = self._due = clock()
        self._distance = SOON
        self._looks = 0
        self._by_time = False
        self._steps = 0
        self._spent = 0.0
        self._plan: float | None = None
        self._rising: list[str] = []
        self._told: dict[str, str] = {}
        self._pending: list[tuple[GrowthRow, Growth, str]] = []
        self._tracing: Tracing | None = None
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
        """What was told so far: a sentence for each place."""
        return list(self._told.values())

    def __repr__(self) -> str:
        state = "stopped" if self._is_over else f"{self._steps} steps"
        return f"<leakgraph.Watch: {state}, {len(self._told)} leaks>"

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
        """Stop to watch, and tell the rest; waits for a snapshot in progress."""
        self.abandon()
        self._tell(3)

    def abandon(self) -> None:
        """Stop to watch, and tell nothing."""
        if self._is_over:
            return
        self._is_over = True
        self._end.set()
        for thread in (self._sampler, self._job):
            if thread not in (None, threading.current_thread()):
                thread.join()
        self._end_tracing()
        self._evidence.close()

    def report(self) -> str:
        """What was seen so far, as text."""
        seconds = self._clock() - self._begin
        x = f"{self._steps:,} steps" if self._steps else f"{seconds:,.0f} s"
        lines = [f"Watched for {x}."]
        lines += [f"Rises: {name}." for name in self._rising]
        gained = self._window.gained()
        lines += [
            f"{name}: {number:+,.0f} in the last samples"
            for name, number in gained.items()
            if number
        ]
        lines += self._told.values()
        if not self._told:
            lines.append(
                "No place was found that goes on growing"
                f" ({self._taken} snapshots wait for the next comparison)."
            )
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
        """Where the program is: its steps, or seconds if it samples by time."""
        return self._clock() - self._begin if self._by_time else float(self._steps)

    def _sample(self) -> None:
        """Read the numbers, look at their trend, and act on it."""
        if not self._busy.acquire(blocking=False):
            return
        try:
            begin, x = self._clock(), self._x()
            if self._job is not None and self._job.is_alive():
                self._due = begin + self._distance
                return
            if self._window.count == 0 or self._window.end < x:
                if self._window.add(x, self._read()):
                    self._distance = min(2 * self._distance, SELDOM)
                self._look()
            cost = self._clock() - begin
            least = cost / (SAMPLING * self._budget)
            self._due = begin + max(self._distance, least)
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
        """Take the next snapshot if growth calls for it and the budget has it."""
        if not self._taken and not self._rising:
            return
        if self._taken and x < self._points[self._taken - 1] + self._gap:
            return
        if self._spent + self._planned() > self._budget * (now - self._begin):
            return
        if gc.isenabled():
            # What the collector would free is no leak.
            gc.collect()
        if not self._background:
            self._gather(now, x, None)
            return
        forked = threading.Event()
        self._job = threading.Thread(
            target=self._gather, args=(now, x, forked), name="leakgraph-snapshot"
        )
        self._job.daemon = True
        self._job.start()
        # The snapshot shows the program between two steps: go on only after the fork.
        forked.wait()

    def _planned(self) -> float:
        """Seconds that the next snapshot and its comparison may take."""
        if self._plan is not None:
            return self._plan
        return AT_LEAST + PER_BLOCK * sys.getallocatedblocks()

    def _gather(self, begin: float, x: float, forked: threading.Event | None) -> None:
        """Take a snapshot, and compare it with the earlier ones."""
        try:
            self._make_room()
            self._evidence.take(
                self._taken, None if forked is None else lambda *_: forked.set()
            )
            self._points[self._taken] = x
            self._taken += 1
            self._gap *= WIDER if self._taken > 1 else 1
            if self._taken >= ENOUGH:
                self._compare()
        except (Error, OSError, MemoryError):
            # No memory, no disk, no process for it now: later, perhaps.
            self._stand_down()
        finally:
            if forked is not None:
                forked.set()
            cost = self._clock() - begin
            self._spent += cost
            self._plan = max(cost, (self._plan or 0.0) / 2)

    def _make_room(self) -> None:
        """Of as many snapshots as there may be, keep every other one."""
        if self._taken < SLOTS:
            return
        for slot in range(1, SLOTS // 2):
            self._evidence.move(2 * slot, slot)
            self._points[slot] = self._points[2 * slot]
        for slot in range(SLOTS // 2, SLOTS):
            self._evidence.drop(slot)
        self._taken = SLOTS // 2

    def _compare(self) -> None:
        """Note what grows for the first time; if nothing does, stand down."""
        steps = None if self._by_time else self._points[: self._taken]
        growth = self._evidence.compare(self._taken, steps=steps, min_bytes=LEAST)
        new = [row for row in growth if row.place not in self._told]
        if not new:
            self._end_tracing()
            if not self._rising or not growth.is_growing:
                self._stand_down()
            return
        if self._traces and self._tracing is None:
            from leakgraph.sites import Tracing

            self._tracing = Tracing()
            return
        lines = self._end_tracing(new)
        for row in new:
            text = describe(row, lines.get(row.place))
            self._told[row.place] = text
            self._pending.append((row, growth, text))

    def _end_tracing(self, rows: Sequence[GrowthRow] = ()) -> dict[str, str]:
        """Let tracemalloc end; returns the allocating line of each place."""
        tracing, self._tracing = self._tracing, None
        return {} if tracing is None else tracing.stop(rows)

    def _stand_down(self) -> None:
        """Forget the snapshots, and begin again with new samples."""
        for slot in range(SLOTS):
            self._evidence.drop(slot)
        self._taken = 0
        self._rising = []
        self._window.clear()

    # ------------------------------------------------------------------ telling ---

    def _tell(self, level: int) -> None:
        """Tell what was found, each once."""
        while self._pending:
            row, growth, text = self._pending.pop(0)
            if self._on_leak == "raise":
                raise LeakError(text)
            if self._on_leak == "warn":
                warnings.warn(text, LeakWarning, stacklevel=level)
            elif callable(self._on_leak):
                self._on_leak(row, growth)

    def _forget(self) -> None:
        """In a forked child: watch nothing, and wait for nothing."""
        self._is_over = True
        self._pending = []
        self._evidence.close()


def _stopped() -> Watch:
    """A watch that is over."""
    watch = Watch()
    watch.stop()
    return watch


def _forget_in_child() -> None:
    """A forked child is not watched."""
    for watch in list(_watches):
        watch._forget()


_watches: weakref.WeakSet[Watch] = weakref.WeakSet()
os.register_at_fork(after_in_child=_forget_in_child)
