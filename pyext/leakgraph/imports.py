"""Says whether a program still imports its modules, as it does when it begins."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Imports"]

#: Imports go on if sys.modules gains more than this share of its modules, and FEW more.
#: A program that makes modules without end gains a smaller and smaller share of them.
SHARE, FEW = 0.05, 5


def count() -> int:
    """Return how many modules there are."""
    return len(sys.modules)


class Imports:
    """Watches the number of modules.

    What modules and their classes take is allocated once. A snapshot from before they
    were imported must not be compared with a later one.
    """

    def __init__(self, count: Callable[[], int] = count) -> None:
        self._count = count
        self._known = count()

    def went_on(self) -> bool:
        """Whether many modules came since this last said so."""
        now = self._count()
        if now <= (1 + SHARE) * self._known + FEW:
            return False
        self._known = now
        return True
