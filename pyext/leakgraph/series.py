"""Numbered snapshots of this process, each by a forked child, within limits."""

from __future__ import annotations

import os
import sys
import threading
from functools import partial
from typing import Any

from leakgraph._core import ArgumentError, Error, save_snapshot
from leakgraph.run import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from leakgraph._core import CaptureInfo
    from leakgraph.limits import Memory

__all__ = ["Series"]

#: The share of the limit at which a snapshot is given up.
TOO_MUCH = 0.99


class Series:
    """The files of the snapshots, their number, and the memory that they may take."""

    #: The saved snapshots that are kept, the newest last.
    kept: list[CaptureInfo]

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        keep: int,
        keys: bool,
        previews: bool,
        contents: bool,
        native: bool,
        max_bytes: int | None,
        timeout: int,
        memory: Memory | None,
        on_saved: Callable[[CaptureInfo, str], object] | None,
    ) -> None:
        text = os.path.abspath(os.fspath(path)).replace("{pid}", str(os.getpid()))
        if not os.path.isdir(os.path.dirname(text)):
            raise FileNotFoundError(f"There is no folder {os.path.dirname(text)}.")
        if keep < 1:
            raise ArgumentError(f"keep must be 1 or more, not {keep}.")
        self.kept = []
        self._path, self._next, self._keep = text, 1, keep
        # A free-threaded build cannot be captured in a forked child.
        self._forks = "t" not in sys.abiflags
        how: dict[str, Any] = {"compress": 0, "fork": self._forks}
        self._save: Callable[..., CaptureInfo] = partial(
            save_snapshot,
            timeout=timeout,
            keys=keys,
            previews=previews,
            contents=contents,
            native=native,
            max_bytes=max_bytes,
            **how,
        )
        self._memory = memory
        self._on_saved = on_saved
        self._taking = threading.Lock()

    def take(self, reason: str, *, hold: bool = False) -> None:
        """Save a snapshot, unless one is being saved; never raises because of it.

        `hold` stops the process until the snapshot is saved.
        """
        if not self._taking.acquire(blocking=False):
            return
        try:
            info = self._save_within_limits(hold)
        except (Error, OSError, MemoryError, _TooTightError) as error:
            hint = "; set rss= (--rss) lower, so that one is saved earlier"
            is_memory = isinstance(error, (MemoryError, _TooTightError))
            say(f"no snapshot was saved on {reason}: {error}{hint * is_memory}")
            return
        finally:
            self._taking.release()
        say(
            f"snapshot of {info.nodes:,} objects saved to {info.path} on {reason};"
            f" the process stopped for {info.pause:.3f} s"
        )
        if self._on_saved is not None:
            try:
                self._on_saved(info, reason)
            except Exception as error:
                say(f"on_saved failed: {error!r}")

    def wait(self) -> None:
        """Wait until no snapshot is being saved."""
        with self._taking:
            pass

    def _save_within_limits(self, hold: bool) -> CaptureInfo:
        """Save a snapshot, with only as much memory as the process can spare."""
        memory = self._memory
        scarce = memory is not None and memory.left() < memory.need()
        info = self._save(
            self._free_path(),
            # Only a snapshot by a forked child has these options.
            spill=scarce and self._forks,
            hold=hold and self._forks,
            progress=self._guard,
        )
        self.kept.append(info)
        self._drop_oldest()
        return info

    def _guard(self, phase: str, done: float) -> None:
        """Give a snapshot up before the kernel kills the process for it."""
        memory = self._memory
        if memory is not None and memory.used() > TOO_MUCH * memory.limit:
            raise _TooTightError(
                f"memory in use reached {100 * TOO_MUCH:.0f} % of {memory.owner}"
            )

    def _free_path(self) -> str:
        """Return the next free path; use no number twice."""
        if "{n}" not in self._path:
            return self._path
        while os.path.lexists(path := self._path.replace("{n}", str(self._next))):
            self._next += 1
        self._next += 1
        return path

    def _drop_oldest(self) -> None:
        """Remove the oldest files beyond `keep`."""
        while len(self.kept) > self._keep:
            oldest = self.kept.pop(0).path
            if oldest != self.kept[-1].path and os.path.lexists(oldest):
                os.unlink(oldest)


class _TooTightError(Exception):
    """There is not enough memory for a snapshot."""
