"""The snapshots of a watch: when each was taken, and which of them to compare.

Growth that begins after a quiet time begins an *episode*. Its snapshots are compared by
themselves, because the quiet time would spoil their rates, and with the earlier ones,
because what grows in bursts does not grow in each of them.
"""

from __future__ import annotations

from array import array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from leakgraph._core import Growth
    from leakgraph.digest import Leaks
    from leakgraph.sites import Holders
    from leakgraph.snapshot_files import SnapshotFiles

__all__ = ["ENOUGH", "SLOTS", "Sequence"]

#: How many snapshots are compared while the program runs: at least ENOUGH, and SLOTS at
#: most. Three may still all come while a program warms up.
ENOUGH, SLOTS = 4, 8
#: How many of the earlier snapshots an episode keeps.
EARLIER = 3
#: The factor from each distance of two snapshots to the next.
WIDER = 1.5
#: Growth by fewer bytes is not reported.
LEAST = 16 << 10


class Sequence:
    """Snapshots, the oldest first."""

    def __init__(self, snapshots: SnapshotFiles) -> None:
        self._snapshots = snapshots
        #: How many snapshots there are, and how many there were when it was closed.
        self.count = self.counted = 0
        self._episode = 0
        self._native = False
        self._gap = 0.0
        self._points = array("d", bytes(8 * SLOTS))
        self._seconds = array("d", bytes(8 * SLOTS))

    @property
    def is_enough(self) -> bool:
        """Whether the episode has enough snapshots for a comparison."""
        return self.count - self._episode >= ENOUGH

    @property
    def first(self) -> int:
        """The first snapshot to compare; the earlier ones only if there are too few."""
        return self._episode if self.is_enough else 0

    @property
    def seconds(self) -> list[float]:
        """When each snapshot was taken."""
        return list(self._seconds[: self.count])

    def begin_episode(self, gap: float) -> None:
        """Begin an episode, whose first two snapshots have that distance."""
        self._gap = gap
        while self.count > EARLIER:
            self._remove(1)
        self._episode = self.count

    def is_due(self, x: float) -> bool:
        """Whether the time for the next snapshot has come."""
        if self.count == self._episode:
            return self.count == 0 or x > self._points[self.count - 1]
        return x >= self._points[self.count - 1] + self._gap

    def is_later(self, x: float) -> bool:
        """Whether the program has gone on since the last snapshot."""
        return self.count > 0 and x > self._points[self.count - 1]

    def take(
        self,
        point: Callable[[], tuple[float, float]],
        progress: Callable[[str, float], object] | None = None,
    ) -> None:
        """Take a snapshot.

        point: how far the program was, and after how many seconds, asked afterwards.
        """
        self._make_room()
        self._snapshots.take(self.count, progress, native=self._native)
        self._points[self.count], self._seconds[self.count] = point()
        self.count += 1
        self.counted = self.count
        if self.count - self._episode > 1:
            self._gap *= WIDER

    def take_last(self, x: float, seconds: float) -> None:
        """Take the snapshot at the end of the program.

        It takes the place of one that came shortly before, if there are enough others:
        in so little time, a stop of the program looks as if growth slowed down.
        """
        newest = self.count - 1
        if newest - self._episode >= ENOUGH - 1 and not self.is_due(x):
            self._remove(newest)
        self.take(lambda: (x, seconds))

    def compare(
        self,
        unit: Literal["step", "second"],
        *,
        whole: bool = False,
        nodes: bool = False,
    ) -> Growth:
        """Return what grows in the episode, or since the first snapshot."""
        first = 0 if whole else self.first
        return self._snapshots.compare(
            self.count,
            first=first,
            steps=self._points[first : self.count],
            unit=unit,
            min_bytes=LEAST,
            settled=whole,
            nodes=nodes,
        )

    def look_closely(
        self, unit: Literal["step", "second"], *, whole: bool = False
    ) -> tuple[Holders, Leaks] | None:
        """Return what compare() cannot know without nodes; None if nobody can.

        That is what dominates the newest members of what grows, and which rows are left
        when what goes together is one row.
        """
        first = 0 if whole else self.first
        return self._snapshots.look_closely(
            self.count,
            first=first,
            steps=self._points[first : self.count],
            unit=unit,
            min_bytes=LEAST,
            settled=whole,
        )

    def list_native(self) -> bool:
        """Begin again, with snapshots that list the memory of C code, too.

        Returns False if they do already.
        """
        if self._native:
            return False
        self._native = True
        self.forget()
        return True

    def forget(self) -> None:
        """Drop all snapshots."""
        for slot in range(self.count):
            self._snapshots.drop(slot)
        self.count = self.counted = self._episode = 0

    def close(self) -> None:
        """Drop all snapshots, and take no more."""
        self._snapshots.close()
        self.count = self._episode = 0

    def _make_room(self) -> None:
        """If all slots are full, drop what is before the episode, or every other."""
        if self.count < SLOTS:
            return
        if self._episode:
            for _ in range(self._episode):
                self._remove(0)
            return
        for slot in range(1, SLOTS // 2 + 1):
            self._remove(slot)

    def _remove(self, slot: int) -> None:
        """Drop one snapshot, and move the later ones up."""
        self._snapshots.drop(slot)
        for later in range(slot + 1, self.count):
            self._snapshots.move(later, later - 1)
            self._points[later - 1] = self._points[later]
            self._seconds[later - 1] = self._seconds[later]
        self.count -= 1
        if slot < self._episode:
            self._episode -= 1
