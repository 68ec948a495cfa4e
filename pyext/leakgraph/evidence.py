"""Snapshots of this process that wait in files without names to be compared.

A forked child takes each, so that neither the snapshot nor its analysis is in the
memory that is compared. What this module keeps for a snapshot has its place before the
first one is taken. So leakgraph itself does not grow from one snapshot to the next.
"""

from __future__ import annotations

import os
import sys
from array import array

from leakgraph._core import Growth, diff, save_snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Evidence"]

#: Seconds that a snapshot may take.
PATIENCE = 600
#: A slot without a snapshot.
EMPTY = -1


class Evidence:
    """Some slots, each for the file of a snapshot.

    The files have no names, so nothing is left behind however the process ends, and a
    forked child that ends takes nothing away from its parent.
    """

    def __init__(self, slots: int) -> None:
        from tempfile import gettempdir

        self._folder = gettempdir()
        self._files = array("i", [EMPTY] * slots)

    def take(
        self, slot: int, progress: Callable[[str, float], object] | None = None
    ) -> None:
        """Take a snapshot into that slot, which may have held another one."""
        name = f"leakgraph-{os.getpid()}-{id(self):x}.lgs"
        path = os.path.join(self._folder, name)
        try:
            # A free-threaded build cannot be captured in a forked child.
            save_snapshot(
                path,
                compress=0,
                fork="t" not in sys.abiflags,
                timeout=PATIENCE,
                progress=progress,
            )
            file = os.open(path, os.O_RDONLY)
        finally:
            if os.path.lexists(path):
                os.unlink(path)
        self.drop(slot)
        self._files[slot] = file

    def drop(self, slot: int) -> None:
        """Empty that slot."""
        if self._files[slot] != EMPTY:
            os.close(self._files[slot])
            self._files[slot] = EMPTY

    def move(self, source: int, target: int) -> None:
        """Put what is in a slot into another one, and leave the first one empty."""
        if source != target:
            self.drop(target)
            self._files[target], self._files[source] = self._files[source], EMPTY

    def compare(
        self,
        count: int,
        *,
        steps: Sequence[float] | None = None,
        min_bytes: int | str = 0,
        settled: bool = False,
    ) -> Growth:
        """What grows in the first `count` slots, the oldest first."""
        paths = [f"/proc/self/fd/{file}" for file in self._files[:count]]
        return diff(*paths, steps=steps, min_bytes=min_bytes, settled=settled)

    def close(self) -> None:
        """Empty all slots."""
        for slot in range(len(self._files)):
            self.drop(slot)

    def __del__(self) -> None:
        self.close()
