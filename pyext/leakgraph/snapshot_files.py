"""Snapshots of this process that wait in files without names to be compared.

A forked child takes each, so that neither the snapshot nor its analysis is in the
memory that is compared. This module makes room for all it keeps before the first
snapshot, so that leakgraph itself does not grow from one to the next.
"""

from __future__ import annotations

import os
import sys
from array import array

from leakgraph._core import Growth, diff, save_snapshot
from leakgraph.digest import look_closely, summarize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Literal

    from leakgraph.attached import _Progress
    from leakgraph.digest import Leaks
    from leakgraph.sites import Holders

__all__ = ["SnapshotFiles"]

#: Seconds that a snapshot may take.
PATIENCE = 600
#: A free-threaded build cannot be captured in a forked child.
CAN_FORK = "t" not in sys.abiflags
#: The value of a slot without a snapshot.
EMPTY = -1


def _close(files: array[int], slot: int) -> None:
    """Close what is in the slot, if anything is.

    The slot is emptied first: a signal handler may raise as soon as the file is closed,
    and to close the number again might close another file.
    """
    file, files[slot] = files[slot], EMPTY
    if file != EMPTY:
        os.close(file)


def _remove(path: str) -> None:
    """Remove the file, if there is one."""
    if os.path.lexists(path):
        os.unlink(path)


class SnapshotFiles:
    """Some slots, each for the file of a snapshot.

    The files have no names, so nothing is left behind however the process ends, and a
    forked child that ends takes nothing away from its parent.
    """

    def __init__(self, slots: int) -> None:
        from tempfile import gettempdir

        self._files = array("i", [EMPTY] * slots)
        self._summaries = array("i", [EMPTY] * slots)
        self._folder = gettempdir()

    def take(
        self,
        slot: int,
        progress: _Progress = None,
        *,
        native: bool = False,
    ) -> None:
        """Take a snapshot into that slot, which may have held another one.

        With native=True, it lists the memory of C code, too.
        """
        path = self._path(".lgs")
        try:
            save_snapshot(
                path,
                compress=0,
                native=native and CAN_FORK,
                fork=CAN_FORK,
                timeout=PATIENCE,
                progress=progress,
            )
            file = os.open(path, os.O_RDONLY)
        finally:
            _remove(path)
        self.drop(slot)
        self._files[slot] = file

    def _path(self, suffix: str) -> str:
        """Return the path of a file that is about to lose its name."""
        name = f"leakgraph-{os.getpid()}-{id(self):x}{suffix}"
        return os.path.join(self._folder, name)

    def drop(self, slot: int) -> None:
        """Empty that slot."""
        _close(self._files, slot)
        _close(self._summaries, slot)

    def move(self, source: int, target: int) -> None:
        """Put what is in a slot into another one, and leave the first one empty."""
        if source == target:
            return
        self.drop(target)
        for files in (self._files, self._summaries):
            files[target], files[source] = files[source], EMPTY

    def compare(
        self,
        count: int,
        *,
        first: int = 0,
        steps: Sequence[float] | None = None,
        unit: Literal["step", "call", "second"] = "step",
        min_bytes: int | str = 0,
        settled: bool = False,
        nodes: bool = True,
    ) -> Growth:
        """Return what grows in the first `count` slots, from `first` on.

        With nodes=False, another process makes the summaries, so that this process does
        not grow by an analysis. Rows then have no node.
        """
        if nodes or not self._summarize(count):
            files = [*self._summaries[: count - 1], EMPTY]
        else:
            files = list(self._summaries[:count])
        paths = [
            f"/proc/self/fd/{self._files[slot] if file == EMPTY else file}"
            for slot, file in enumerate(files)
        ]
        return diff(
            *paths[first:], steps=steps, unit=unit, min_bytes=min_bytes, settled=settled
        )

    def look_closely(
        self,
        count: int,
        *,
        first: int = 0,
        steps: Sequence[float] | None = None,
        unit: Literal["step", "call", "second"] = "step",
        min_bytes: int | str = 0,
        settled: bool = False,
    ) -> tuple[Holders, Leaks] | None:
        """Return what compare() cannot know without nodes.

        That is what dominates the newest members of each row, and which rows are left
        when what goes together is one row. Another process looks; None if it cannot.
        """
        if not self._summarize(count):
            return None
        files = [*self._summaries[first : count - 1], self._files[count - 1]]
        target = self._path(".json")
        options = {
            "steps": None if steps is None else list(steps),
            "unit": unit,
            "min_bytes": min_bytes,
            "settled": settled,
        }
        try:
            return look_closely(files, target, options)
        finally:
            _remove(target)

    def _summarize(self, count: int) -> bool:
        """Make the missing summaries. Return whether all of them exist.

        Only the last snapshot is kept beside its summary.
        """
        slots = [slot for slot in range(count) if self._summaries[slot] == EMPTY]
        targets = [self._path(f"-{slot}.lgsum") for slot in slots]
        try:
            if not summarize([self._files[slot] for slot in slots], targets):
                return False
            for slot, target in zip(slots, targets):
                self._summaries[slot] = os.open(target, os.O_RDONLY)
        finally:
            for target in targets:
                _remove(target)
        for slot in range(count - 1):
            _close(self._files, slot)
        return True

    def close(self) -> None:
        """Empty all slots."""
        for slot in range(len(self._files)):
            self.drop(slot)

    # When the interpreter ends, the names of modules are gone before the last objects
    # are: this uses none.
    def __del__(self, close: Callable[[int], None] = os.close) -> None:
        for files in (self._files, self._summaries):
            for file in files:
                if file >= 0:
                    close(file)
