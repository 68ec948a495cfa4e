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
#: Otherwise it lasts a second, and one more for so many bytes that it needs.
SPEED = 50 << 20
#: The most bytes that are left for a snapshot by saving it before the threshold, if it
#: can keep the rest of its data in a file. It is also at most half of the limit then.
RESERVE = 1 << 30


class Alarm:
    """Decides at each look at the memory; sizes are bytes, times seconds.

    must_fit: a snapshot fails that needs more than is left, even if it keeps its data
    in a file, because the addresses of the file count, too.
    """

    def __init__(self, limit: int, threshold: int, *, must_fit: bool = False) -> None:
        self._limit, self._threshold = limit, threshold
        self._most = limit if must_fit else min(RESERVE, limit / 2)
        self._last: tuple[float, int] | None = None
        self._rate = 0.0
        self._heard_at: int | None = None

    def look(self, now: float, used: int, need: int = 0) -> bool:
        """Whether a snapshot, which needs so many bytes itself, is due now.

        It is due if memory in use has reached the threshold, or leaves only what the
        snapshot needs, or may reach the limit before the next look but one. The next
        one is due after memory has fallen.
        """
        self._measure(now, used)
        if self._heard_at is not None and used < (1 - FALL) * self._heard_at:
            self._heard_at = None
        soon = used + 2 * self.pause(used) * self._rate
        is_due = used >= self._start(need) or soon >= self._limit
        if self._heard_at is not None or not is_due:
            return False
        self._heard_at = min(used, self._threshold)
        return True

    def _start(self, need: int) -> float:
        """Bytes in use that leave room for the snapshot, and for growth meanwhile.

        That it is due shows up to two looks later, when it must not be urgent yet: an
        urgent snapshot stops the process until it is saved.
        """
        reserve = need + (self._lasts(need) + 2 * SELDOM) * self._rate
        return min(self._threshold, self._limit - min(reserve, self._most))

    def _lasts(self, need: int) -> float:
        """Seconds that a snapshot lasts if there is memory for it."""
        return 1 + need / SPEED

    def is_urgent(self, used: int, need: int = 0) -> bool:
        """Whether memory may reach the limit before a snapshot can be saved."""
        is_short = used + need > self._limit
        lasts = LASTS if is_short else self._lasts(need)
        return used + need * (not is_short) + lasts * self._rate >= self._limit

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
