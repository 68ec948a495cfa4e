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

from leakgraph import samples
from leakgraph._core import Error
from leakgraph.budget import Budget, processor
from leakgraph.found import GOES_ON, MUCH, SHARE, Found
from leakgraph.imports import Imports
from leakgraph.leak_text import nothing, sample_lines
from leakgraph.sequence import ENOUGH, SLOTS, Sequence
from leakgraph.sites import Traces
from leakgraph.snapshot_files import SnapshotFiles
from leakgraph.telling import tell
from leakgraph.workers import Workers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Literal

    from leakgraph._core import Growth, GrowthRow
    from leakgraph.digest import Leaks
    from leakgraph.found import Place
    from leakgraph.sites import Holders
    from leakgraph.telling import _OnLeak

__all__ = ["Watch"]

#: Seconds between two samples: SOON at first, SELDOM at most.
SOON, SELDOM = 0.1, 60.0
#: How many samples come between two looks at the trend.
LOOK = 8
#: If so many bytes are gained and no place explains them, the report says what to do.
LOST = 16 << 20
#: The first distance of two snapshots, as a share of the time in which growth showed.
FIRST = 0.25


class Watch:
    """What watch() returns."""

    # clock, work, read, snapshots, imports and background are for tests: the time in
    # seconds, those that a processor has worked for this thread, the numbers of a
    # sample, what takes snapshots, what counts modules, and whether a thread of its own
    # takes snapshots.
    def __init__(
        self,
        budget: float = 0.01,
        on_leak: _OnLeak = "warn",
        traces: bool = False,
        log: samples.Log | None = None,
        *,
        clock: Callable[[], float] = time.perf_counter,
        work: Callable[[], float] = processor,
        read: Callable[[], tuple[float, ...]] = samples.read,
        snapshots: SnapshotFiles | None = None,
        imports: Imports | None = None,
        background: bool = True,
    ) -> None:
        self._on_leak, self._traces = on_leak, Traces(traces)
        self._log = log
        self._budget = Budget(budget, clock, work)
        self._clock, self._read, self._background = clock, read, background
        self._imports = Imports() if imports is None else imports
        self._sequence = Sequence(
            SnapshotFiles(SLOTS) if snapshots is None else snapshots
        )
        self._found = Found()
        #: The samples since growth was looked for, and those of the whole run.
        self._window, self._whole = samples.Window(), samples.Window()
        self._workers = Workers()
        self._due = clock()
        self._distance = SOON
        self._looks = 0
        self._by_time = False
        self._steps = 0
        self._rising: list[str] = []
        #: The last comparison, and whether it is of all snapshots.
        self._latest: tuple[Growth, bool] | None = None
        #: What a closer look at the last comparison said; None: nobody looked.
        self._closely: tuple[Holders, Leaks] | None = None
        self._pending: list[tuple[GrowthRow, Growth | None, str]] = []
        self._told: list[str] = []
        #: Growth of the memory of C code, until snapshots have said who holds it.
        self._withheld: list[Place] = []
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
        """What was told and grows, as far as is known: a sentence for each place."""
        return self._found.leaks

    def __repr__(self) -> str:
        state = "stopped" if self._is_over else f"{self._steps} steps"
        return f"<leakgraph.Watch: {state}, {len(self.leaks)} leaks>"

    def __enter__(self) -> Watch:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self._stop(4)
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
        """Stop watching, look a last time, and tell the rest.

        If memory has risen and there is a snapshot, takes another one and compares
        them, whatever the budget. Waits for a snapshot in progress.
        """
        self._stop(4)

    def _stop(self, level: int) -> None:
        """The same; level: how many frames lead from here to the program."""
        if self._is_over:
            return
        x, seconds = self._x(), self._budget.seconds
        self._end_threads()
        self._look_last(x, seconds)
        if self._withheld:
            self._found.restore(self._withheld)
            self._report(self._withheld)
        self.abandon()
        self._tell(level)

    def abandon(self) -> None:
        """Stop watching, and report nothing."""
        if self._is_over:
            return
        self._is_over = True
        self._end_threads()
        self._traces.end()
        self._sequence.close()
        if self._log is not None:
            self._log.close()

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
        rising = self._whole.rising()
        found = self._found.lines(self._resident)
        lines = [
            f"Watched for {x}.",
            *sample_lines(rising, self._whole.gained()),
            *self._workers.lines(),
            *(found or [self._nothing()]),
        ]
        return "\n".join(lines)

    def _nothing(self) -> str:
        """Say that no place was found."""
        missing = LOOK - self._looks
        most, kind = self._found.most, self._found.kind
        if not self._whole.rising():
            most = kind = None
        return nothing(
            self._sequence.counted, self._rises_much, missing, self._by_time, most, kind
        )

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

    @property
    def _unit(self) -> Literal["step", "second"]:
        """What rates are per."""
        return "second" if self._by_time else "step"

    @property
    def _resident(self) -> float:
        """Resident bytes at the last sample."""
        return self._whole.last[0]

    @property
    def _rises_much(self) -> bool:
        """Whether memory rises by so much that somebody must look at it."""
        gained = self._whole.gained()["resident bytes"]
        return bool(self._whole.rising()) and gained >= LOST

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
            if self._imports.went_on():
                self._begin_again()
            if self._whole.count == 0 or self._whole.end < x:
                self._add(x)
                self._look()
            paid = self._budget.sampled(since)
            self._due = max(begin + self._distance, paid)
            self._workers.look(self._looks, self._budget)
            self._consider(begin, x)
        finally:
            self._busy.release()

    def _add(self, x: float) -> None:
        """Add a sample; the more there are, the less often they come."""
        numbers = self._read()
        if self._log is not None:
            self._log.add(numbers, None if self._by_time else self._steps)
        self._window.add(x, numbers)
        if self._whole.add(x, numbers):
            self._distance = min(2 * self._distance, SELDOM)

    def _look(self) -> None:
        """Now and then, look whether memory in use rises, or has risen by much."""
        self._looks += 1
        if self._looks % LOOK:
            return
        was = self._rising
        self._rising = self._window.rising() or self._window.above(MUCH, SHARE)
        if self._rising and not was and not self._is_following:
            self._sequence.begin_episode(FIRST * self._window.span)

    @property
    def _is_following(self) -> bool:
        """Whether there is growth that later snapshots must confirm or correct."""
        grows = self._found.grows or bool(self._withheld)
        return grows and self._sequence.count > 0

    def _begin_again(self) -> None:
        """Forget what was seen while the program still imported modules."""
        self._traces.end()
        self._sequence.forget()
        self._found.forget()
        self._rest()
        self._whole.clear()

    def _consider(self, now: float, x: float) -> None:
        """Take the next snapshot if growth calls for it and the budget pays for it."""
        if not self._rising and not self._is_following:
            return
        if not self._sequence.is_due(x) or not self._budget.has(now):
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

    def _gather(self, x: float, forked: threading.Event | None) -> None:
        """Take a snapshot, and compare it with the earlier ones.

        It is one of the program at the fork, which a busy machine may put off.
        """
        since = self._budget.start()
        point = x, self._budget.seconds

        def progress(*_: object) -> None:
            nonlocal point
            if forked is not None and not forked.is_set():
                point = self._x(), self._budget.seconds
                forked.set()

        try:
            self._sequence.take(lambda: point, progress)
            if self._sequence.is_enough:
                self._compare()
        except (Error, OSError, MemoryError):
            # There is no memory, disk or process for it now; try again later.
            self._traces.end()
            self._sequence.forget()
            self._rest()
        finally:
            if forked is not None:
                forked.set()
            self._budget.spend(since, is_snapshot=True)

    def _compare(self) -> None:
        """Take note of what grows, and report what is certain; else rest."""
        self._note()
        if self._found.due(self._resident) or self._found.has_joined:
            self._fold()
        due = self._found.due(self._resident)
        nameless = [place for place in due if place.needs_native]
        new = [place for place in due if place not in nameless]
        if new:
            self._report(new)
        else:
            self._traces.end()
        if nameless and self._sequence.list_native():
            self._withheld = nameless
            self._found.withdraw(nameless)
            return
        if nameless:
            self._report(nameless)
        if not self._found.grows:
            self._rest()

    def _note(self, known: bool = False, *, ended: bool = False) -> None:
        """Compare all snapshots, and those of the episode; or ask what is known."""
        unit, seconds = self._unit, self._sequence.seconds
        growth = self._sequence.compare(unit, whole=True)
        self._withheld = []
        self._closely = None
        self._latest = growth, True
        if known:
            self._found.confirm(growth, seconds)
            return
        self._found.update(growth, seconds, ended=ended)
        first = self._sequence.first
        if first > 0:
            growth = self._sequence.compare(unit)
            self._found.refine(growth, seconds[first:])
            self._latest = growth, False

    def _look_closely(self) -> tuple[Holders, Leaks] | None:
        """Return what the last comparison could not know; another process looks once.

        None if no other process can.
        """
        if self._closely is None and self._latest is not None:
            whole = self._latest[1]
            self._closely = self._sequence.look_closely(self._unit, whole=whole)
        return self._closely

    def _fold(self) -> None:
        """Make rows of the last comparison that go together one place."""
        if self._latest is None:
            return
        growth = self._latest[0]
        if sum(row.degree in GOES_ON for row in growth) < 2:
            return
        looked = self._look_closely()
        if looked is not None:
            self._found.fold(growth, looked[1])

    def _report(self, new: list[Place]) -> None:
        """Report these places, with the lines that allocate if they are wanted."""
        if not self._end.is_set() and self._traces.begin():
            return
        looked = self._look_closely() if self._traces.is_running else None
        above = None if looked is None else looked[0]
        rows = [place.row for place in new]
        if self._traces.is_running and above is None:
            # Compare again here, because no other process can say what holds what
            # grows.
            places = {row.place for row in rows}
            growth = self._sequence.compare("step", nodes=True)
            rows = [row for row in growth if row.place in places]
        lines = self._traces.end(rows, above)
        if not self._end.is_set() and self._traces.deepen(lines):
            return
        for place in new:
            place.line, place.is_told = lines.get(place.row.place), True
            self._pending.append((place.row, place.growth, place.text))

    def _look_last(self, x: float, seconds: float) -> None:
        """Take a last snapshot if memory has risen, and tell what grows.

        The program ended at x, after so many seconds: a snapshot that was under way may
        have gone on for longer.
        """
        if self._whole.count and self._whole.end < x:
            self._add(x)
        rises = self._window.rising() or self._window.above(MUCH, SHARE)
        seen = self._rising or self._found or self._whole.rising()
        if not (rises or seen) or not self._sequence.count:
            return
        if self._withheld and self._sequence.count < ENOUGH - 2:
            # Two snapshots with native memory say less than several without it.
            return
        ended = self._by_time
        known = ended and self._sequence.count >= ENOUGH - 1
        try:
            if known and not self._sequence.is_enough:
                self._note()
            if self._sequence.is_later(x):
                if gc.isenabled():
                    gc.collect()
                self._sequence.take_last(x, seconds)
            if self._sequence.count > 1:
                self._note(known, ended=ended)
                self._fold()
                count = self._sequence.count
                self._report(self._found.last(self._resident, count))
        except (Error, OSError, MemoryError):
            return

    def _rest(self) -> None:
        """Take no more snapshots until memory rises again."""
        self._rising = []
        self._window.clear()

    def _tell(self, level: int) -> None:
        """Tell what was found, each place once."""
        while self._pending:
            row, growth, text = self._pending.pop(0)
            self._told.append(text)
            tell(self._on_leak, row, growth, text, level)

    def _forget(self) -> None:
        """In a forked child: watch nothing, and wait for nothing."""
        self._is_over = True
        self._pending = []
        self._sequence.close()


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
