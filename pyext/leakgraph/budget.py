"""What a watch may cost: a share of the time that the program runs."""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Budget"]

#: The share of the budget that samples may take; the rest is for snapshots.
SAMPLING = 0.1
#: The planned seconds of a snapshot before one was measured: for each block of memory
#: that Python has, and the minimum.
PER_BLOCK, AT_LEAST = 5e-7, 0.05
#: At first the budget grows FASTER times as fast, up to the budget of AHEAD seconds,
#: and then stays until these seconds are over. So a process with few objects has its
#: first comparison early. The first snapshot may take more, so that one of many objects
#: has a snapshot for the last look to compare with.
FASTER, AHEAD = 5.0, 60.0
#: At first, the next sample waits for BLIND times as long as the cheapest one is worth,
#: at most: a system that was busy for a moment must not blind the watch for a minute.
BLIND = 10


def processor() -> float:
    """Return the processor's seconds of this thread and of children that have ended."""
    times = os.times()
    return time.thread_time() + times.children_user + times.children_system


class Budget:
    """Adds up what samples and snapshots cost, and says when the next may come."""

    def __init__(
        self, share: float, clock: Callable[[], float], work: Callable[[], float]
    ) -> None:
        self._share, self._clock, self._work = share, clock, work
        self._begin = clock()
        self._sampled = self._spent = 0.0
        self._cheapest = float("inf")
        #: Seconds that the next snapshot and its comparison may take; None until
        #: measured.
        self.plan: float | None = None

    @property
    def seconds(self) -> float:
        """For how many seconds the program was watched."""
        return self._clock() - self._begin

    def start(self) -> tuple[float, float]:
        """Return a point of time to measure from."""
        return self._clock(), self._work()

    def cost(self, since: tuple[float, float]) -> float:
        """Return how many seconds the work since then took.

        Counts neither the time that other programs had, nor that of the program's own
        children that ended by chance.
        """
        clock, work = since
        return min(self._clock() - clock, self._work() - work)

    def sampled(self, since: tuple[float, float]) -> float:
        """Note what a sample cost. Return when the next one is paid for."""
        cost = self.cost(since)
        self._sampled += cost
        self._cheapest = min(self._cheapest, cost)
        need = self._sampled / (SAMPLING * self._share)
        due = self._begin + (need / FASTER if need <= AHEAD else need)
        soon = self._clock() + BLIND * self._cheapest / (SAMPLING * self._share)
        return min(due, soon) if self.seconds < AHEAD else due

    def has(self, now: float) -> bool:
        """Whether the budget pays for a snapshot."""
        elapsed = now - self._begin
        if self.plan is None:
            plan = AT_LEAST + PER_BLOCK * sys.getallocatedblocks()
            return self._spent + plan <= self._share * FASTER * elapsed
        paid = max(elapsed, min(FASTER * elapsed, AHEAD))
        return self._spent + self.plan <= self._share * paid

    def spend(self, since: tuple[float, float], *, is_snapshot: bool = False) -> None:
        """Note the cost of a snapshot, or of other work for one."""
        cost = self.cost(since)
        self._spent += cost
        if is_snapshot:
            self.plan = max(cost, (self.plan or 0.0) / 2)
