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
#: Seconds that a snapshot is planned for before one was measured: for each block of
#: memory that Python has, and at least.
PER_BLOCK, AT_LEAST = 5e-7, 0.05
#: At first the budget comes faster, so many times, until the program has that of so
#: many seconds: a process with few objects then has its first comparison in time. It
#: gets no more until these seconds are over.
FASTER, AHEAD = 5.0, 60.0


def processor() -> float:
    """Seconds of a processor: this thread's, and those of children that ended."""
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
        #: Seconds that the next snapshot and its comparison may take, once measured.
        self.plan: float | None = None

    @property
    def seconds(self) -> float:
        """How long the program was watched."""
        return self._clock() - self._begin

    def start(self) -> tuple[float, float]:
        """A point of time to measure from."""
        return self._clock(), self._work()

    def cost(self, since: tuple[float, float]) -> float:
        """Seconds that it has worked since then.

        Not the time that has passed, which other programs may have had, nor that of
        the program's own children, if some ended by chance.
        """
        clock, work = since
        return min(self._clock() - clock, self._work() - work)

    def sampled(self, since: tuple[float, float]) -> float:
        """Note what a sample cost; the time from which the next is paid for."""
        self._sampled += self.cost(since)
        return self._begin + self._sampled / (SAMPLING * self._share)

    def has(self, now: float) -> bool:
        """Whether a snapshot is paid for."""
        plan = self.plan
        if plan is None:
            plan = AT_LEAST + PER_BLOCK * sys.getallocatedblocks()
        elapsed = now - self._begin
        paid = max(elapsed, min(FASTER * elapsed, AHEAD))
        return self._spent + plan <= self._share * paid

    def spend(self, since: tuple[float, float], *, is_snapshot: bool = False) -> None:
        """Note the cost of what a snapshot takes, or of a snapshot itself."""
        cost = self.cost(since)
        self._spent += cost
        if is_snapshot:
            self.plan = max(cost, (self.plan or 0.0) / 2)
