"""Growth of a piece of work that is repeated, and of a `with` block."""

from __future__ import annotations

import gc

from leakgraph._core import ArgumentError, ClosedError
from leakgraph.snapshot_files import SnapshotFiles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from leakgraph._core import Growth
    from leakgraph.attached import _Progress

__all__ = ["Tracked", "repeat", "track"]

#: The most snapshots of a `with` block of track(), with those at its ends.
MARKS = 64
#: The most rounds that repeat() makes again with native memory: three snapshots tell
#: growth from what is allocated once, and a fourth one a burst.
AGAIN = 3


def repeat(
    work: Callable[[], object],
    *,
    warmup: int = 3,
    rounds: int = 4,
    calls: int = 10,
    native: bool | None = None,
    min_bytes: int | str = 0,
    settled: bool = False,
    progress: _Progress = None,
) -> Growth:
    """Call `work` again and again and return what grows, with rates per call.

    warmup     calls before the first snapshot, so that what they fill does not count
    rounds     number of rounds, with a snapshot after each; one round alone cannot tell
               a leak from memory that is allocated once
    calls      calls in each round; `per_step` of the result is per call
    native     list the memory of C code, too, and who holds it; None: if that memory
               grows, make up to 3 more rounds with it, and return what these found

    min_bytes and settled are those of diff(), and progress is that of snapshot(). The
    garbage collector runs before each snapshot. A forked child takes the snapshot, and
    leakgraph itself does not grow between snapshots. If `work` raises an exception, so
    does repeat().

    Raises ArgumentError for fewer than 1 round or call.
    """
    check(warmup, rounds, calls)
    if not callable(work):
        raise TypeError(
            f"repeat() calls a function again and again, and got {type(work).__name__}:"
            " pass the function itself, as in repeat(work) or repeat(lambda: work(x))."
        )
    snapshots = SnapshotFiles(rounds + 1)

    def grow(rounds: int, native: bool) -> Growth:
        _take(snapshots, 0, progress, native)
        for round_ in range(1, rounds + 1):
            _call(work, calls)
            _take(snapshots, round_, progress, native)
        return snapshots.compare(
            rounds + 1,
            steps=range(0, (rounds + 1) * calls, calls),
            unit="call",
            min_bytes=min_bytes,
            settled=settled,
        )

    try:
        _call(work, warmup)
        growth = grow(rounds, bool(native))
        if native is not None or not growth.needs_native:
            return growth
        # The snapshots that follow show no answer of leakgraph's.
        del growth
        return grow(min(rounds, AGAIN), native=True)
    finally:
        snapshots.close()


def check(warmup: int, rounds: int, calls: int) -> None:
    """Raise ArgumentError for numbers of calls that repeat() cannot make."""
    for name, number, least in (
        ("warmup", warmup, 0),
        ("rounds", rounds, 1),
        ("calls", calls, 1),
    ):
        if not isinstance(number, int) or number < least:
            raise ArgumentError(f"{name} must be {least} or more, not {number!r}.")


def track(
    *, min_bytes: int | str = 0, settled: bool = False, progress: _Progress = None
) -> Tracked:
    """Take a snapshot before and after a `with` block and compare them.

    Two snapshots cannot tell a leak from memory that is allocated once. For more
    snapshots, call mark() of the result at the same point of each round in the block.
    When the block has ended, `growth` of the result is the comparison. min_bytes and
    settled are those of diff(), and progress is that of snapshot().
    """
    return Tracked(min_bytes, settled, progress)


class Tracked:
    """What track() returns: a context manager, and then the growth of its block."""

    def __init__(
        self, min_bytes: int | str, settled: bool, progress: _Progress
    ) -> None:
        self._snapshots: SnapshotFiles | None = None
        self._growth: Growth | None = None
        self._count = 0
        self._min_bytes, self._settled = min_bytes, settled
        self._progress = progress

    @property
    def growth(self) -> Growth:
        """What grew in the block; raises ClosedError before the block has ended."""
        if self._growth is None:
            raise ClosedError(
                "Tracked.growth exists once the block of track() has ended without an"
                " exception."
            )
        return self._growth

    def mark(self) -> None:
        """Take one more snapshot; raises ClosedError outside of the block."""
        if self._snapshots is None:
            raise ClosedError("mark() works only inside the block of track().")
        if self._count == MARKS - 1:
            raise ArgumentError(f"A block of track() takes at most {MARKS - 2} marks.")
        self._take(self._snapshots)

    def __repr__(self) -> str:
        if self._growth is not None:
            return f"<leakgraph.Tracked: {len(self._growth)} rows of growth>"
        return f"<leakgraph.Tracked: {self._count} snapshots>"

    def __enter__(self) -> Tracked:
        if self._snapshots is not None or self._growth is not None:
            raise ClosedError("track() serves one block: call it again for another.")
        self._snapshots = SnapshotFiles(MARKS)
        try:
            self._take(self._snapshots)
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        snapshots = self._snapshots
        assert snapshots is not None
        try:
            if kind is None:
                self._take(snapshots)
                self._growth = snapshots.compare(
                    self._count, min_bytes=self._min_bytes, settled=self._settled
                )
        finally:
            self._close()

    def _take(self, snapshots: SnapshotFiles) -> None:
        _take(snapshots, self._count, self._progress)
        self._count += 1

    def _close(self) -> None:
        if self._snapshots is not None:
            self._snapshots.close()
        self._snapshots = None


def _call(work: Callable[[], object], times: int) -> None:
    """Call the work that many times; keep no result."""
    for _ in range(times):
        work()


def _take(
    snapshots: SnapshotFiles, slot: int, progress: _Progress, native: bool = False
) -> None:
    """Take a snapshot without what the collector would free anyway."""
    gc.collect()
    snapshots.take(slot, progress, native=native)
