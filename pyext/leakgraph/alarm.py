"""Decides when memory in use calls for a snapshot."""

from __future__ import annotations

__all__ = ["Alarm"]

#: After a snapshot, memory in use must fall by this share before the next one.
FALL = 0.05
#: Seconds between two looks, from SOON to SELDOM. Four looks come before a snapshot may
#: be due.
SOON, SELDOM = 0.05, 0.25
#: Seconds that a snapshot may last if memory for it is short, too.
LASTS = 20.0


class Alarm:
    """Decides at each look at the memory; sizes are bytes, times seconds."""

    def __init__(self, limit: int, threshold: int) -> None:
        self._limit, self._threshold = limit, threshold
        self._last: tuple[float, int] | None = None
        self._rate = 0.0
        self._is_heard = False

    def look(self, now: float, used: int) -> bool:
        """Whether a snapshot is due now.

        It is due if memory in use has reached the threshold, or may reach the limit
        before the next look but one. The next one is due after memory has fallen.
        """
        self._measure(now, used)
        if used < (1 - FALL) * self._threshold:
            self._is_heard = False
        soon = used + 2 * self.pause(used) * self._rate
        if self._is_heard or (used < self._threshold and soon < self._limit):
            return False
        self._is_heard = True
        return True

    def is_urgent(self, used: int) -> bool:
        """Whether memory may reach the limit before a snapshot can be saved."""
        return used + LASTS * self._rate >= self._limit

    def pause(self, used: int) -> float:
        """Seconds until the next look."""
        if self._rate <= 0:
            return SELDOM
        left = min(self._threshold, self._limit) - used
        return min(SELDOM, max(SOON, left / self._rate / 4))

    def _measure(self, now: float, used: int) -> None:
        """Measure how fast memory in use grows. If it pauses, the rate falls slowly."""
        if self._last is not None and now > self._last[0]:
            rate = (used - self._last[1]) / (now - self._last[0])
            self._rate = max(rate, self._rate / 2)
        self._last = now, used
