"""Snapshots that a program takes of itself: on a signal, when memory runs out, at exit.

A forked child takes each, so that the program stops only for a fork and stays
unharmed. One thread waits for the signal and looks at memory now and then.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from contextlib import suppress

from leakgraph import shortage
from leakgraph._core import ArgumentError
from leakgraph.alarm import Alarm
from leakgraph.limits import Memory, gib, size
from leakgraph.run import say
from leakgraph.series import Series
from leakgraph.signals import DEFAULT, Ear, signal_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from leakgraph._core import CaptureInfo

__all__ = ["Armed", "arm", "disarm"]

#: Seconds between two looks at the loaded modules, while memory is not watched.
SELDOM = 1.0
#: The least bytes at which to save a snapshot. Python alone takes more, so a smaller
#: number has lost its unit.
LEAST = 1 << 20
#: Seconds between two snapshots for failed allocations: they come in bursts.
QUIET = 60.0


def arm(
    path: str | os.PathLike[str] = "leakgraph-{pid}-{n}.lgs",
    *,
    signal: str | int | None = DEFAULT,
    on_oom: bool = True,
    rss: str | float | None = "90%",
    at_exit: bool = False,
    keep: int = 5,
    keys: bool = True,
    previews: bool = False,
    contents: bool = False,
    native: bool = False,
    max_bytes: int | None = None,
    timeout: int = 60,
    on_saved: Callable[[CaptureInfo, str], object] | None = None,
) -> Armed:
    """Make this process save snapshots of itself when they may be needed.

    path      {pid} stands for the process id, {n} for the first free number; without
              {n}, a later snapshot replaces an earlier one
    signal    save on this signal: a name or number; None for none. It may come while
              any thread is in native code. The previous handler runs, too
    on_oom    save on MemoryError, PyTorch's OutOfMemoryError, and what its CPU
              allocator raises: uncaught ones, and caught ones if leakgraph can see
              them; at most once a minute
    rss       save when this much memory is in use, before the kernel kills the process:
              bytes (at least 1 MiB), "12GiB", or a share ("90%", 0.9) of what the
              control group, the machine, or `ulimit -v` or `-d` allows; None for never.
              Where that leaves too little for a snapshot, save it earlier. If memory
              grows fast, the process stops until the snapshot is saved. The next one
              comes after memory has fallen by 5 %
    at_exit   save when the interpreter exits by itself
    keep      keep this many files, the newest
    on_saved  call this with CaptureInfo and the reason, in the thread that saved it

    keys, previews, contents, native, max_bytes and timeout are those of
    save_snapshot(). When memory is short, a file beside the snapshot holds what the
    snapshot needs.

    Works from any thread. Arming again replaces the previous arming. A child made by
    fork is not armed. Each snapshot prints its path on stderr.

    Raises ArgumentError for an impossible signal or size, FileNotFoundError if the
    folder of `path` does not exist.
    """
    global _armed
    disarm()
    memory = Memory() if rss is not None else None
    series = Series(
        path,
        keep=keep,
        keys=keys,
        previews=previews,
        contents=contents,
        native=native,
        max_bytes=max_bytes,
        timeout=timeout,
        memory=memory,
        on_saved=on_saved,
    )
    armed = Armed(series)
    if rss is not None and memory is not None:
        armed._watch_memory(memory, _bytes(rss, memory))
    if signal is not None:
        armed._listen(signal_number(signal))
    if on_oom:
        armed._notice_shortages()
    if at_exit:
        armed._take_at_exit()
    armed._start()
    _armed = armed
    return armed


def disarm() -> None:
    """Stop saving snapshots; waits for one that is being saved."""
    if _armed is not None:
        _armed.disarm()


class Armed:
    """What arm() returns. The end of a `with` block disarms it."""

    def __init__(self, series: Series) -> None:
        self._series = series
        self._reasons: list[str] = []
        self._memory: Memory | None = None
        self._alarm: Alarm | None = None
        self._rss: str | float = "90%"
        self._ear: Ear | None = None
        self._notices = False
        self._last_shortage = float("-inf")
        self._at_exit = False
        self._watcher: threading.Thread | None = None
        self._is_over = False

    @property
    def snapshots(self) -> list[CaptureInfo]:
        """The snapshots that were saved and kept, the newest last."""
        return list(self._series.kept)

    def __repr__(self) -> str:
        reasons = ", ".join(self._reasons) or "nothing"
        state = "disarmed" if self._is_over else f"snapshots on {reasons}"
        return f"<leakgraph.Armed: {state}>"

    def __enter__(self) -> Armed:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.disarm()

    def disarm(self) -> None:
        """Stop saving snapshots; waits for one that is being saved."""
        global _armed
        if self._is_over:
            return
        self._is_over = True
        atexit.unregister(self._end)
        shortage.unwatch()
        if self._ear is not None:
            self._ear.close()
        self._series.wait()
        if self._watcher not in (None, threading.current_thread()):
            self._watcher.join()
        if self._ear is not None:
            self._ear.drain()
        if _armed is self:
            _armed = None

    def _watch_memory(self, memory: Memory, rss: str | float) -> None:
        """Let the watcher look at memory."""
        self._memory, self._rss = memory, rss
        self._reasons.append(self._set_alarm(memory))

    def _set_alarm(self, memory: Memory) -> str:
        """Set the alarm to the tightest limit. Return at what memory it goes off.

        Says so if that is a limit of addresses, because few know that they have one.
        """
        threshold = _bytes(self._rss, memory)
        if memory.is_of_addresses:
            threshold = min(threshold, _bytes("90%", memory))
        self._alarm = Alarm(memory.limit, threshold, must_fit=memory.is_of_addresses)
        share = 100 * threshold / memory.limit
        reason = f"{gib(threshold)} in use ({share:.0f} % of {memory.owner})"
        if memory.is_of_addresses:
            say(
                f"{memory.owner} limits this process to {gib(memory.limit)} of"
                f" addresses; a snapshot is saved at {gib(threshold)}, or earlier if it"
                " needs more than the rest, as millions of small objects do"
            )
        return reason

    def _listen(self, signal: int) -> None:
        """Start to listen for the signal."""
        self._ear = Ear(signal)
        self._reasons.append(self._ear.name)

    def _notice_shortages(self) -> None:
        """Start to notice allocations that fail."""
        shortage.watch(self._on_shortage)
        self._notices = True
        self._reasons.append("MemoryError")

    def _take_at_exit(self) -> None:
        """Take a snapshot when the interpreter exits."""
        self._at_exit = True
        self._reasons.append("exit")

    def _start(self) -> None:
        """Start the watcher, if there is something to watch, and prepare its end."""
        atexit.register(self._end)
        if self._at_exit:
            self._end_first()
        if self._ear is not None or self._memory is not None:
            self._watcher = threading.Thread(
                target=self._watch, name="leakgraph-arm", daemon=True
            )
            self._watcher.start()

    def _end_first(self) -> None:
        """Let `_end` run before other callbacks, which undo what the program leaves.

        atexit runs the last registered callback first, so threading registers `_end`
        again when the program ends. If it cannot, `_end` runs in its turn.
        """
        register = getattr(threading, "_register_atexit", None)
        if register is not None:
            with suppress(RuntimeError):  # the interpreter exits already
                register(self._register_again)

    def _register_again(self) -> None:
        if not self._is_over:
            atexit.unregister(self._end)
            atexit.register(self._end)

    def _watch(self) -> None:
        """Wait for the signal and look at memory, until the end.

        While memory is short, a look may fail for want of it.
        """
        pause = 0.0
        while not self._is_over:
            if self._ear is None:
                time.sleep(pause)
            elif self._ear.wait(pause) and not self._is_over:
                self._series.take(self._ear.name)
            with suppress(MemoryError):
                pause = self._look()
            if self._notices:
                shortage.attend_torch()

    def _look(self) -> float:
        """Take a snapshot if memory calls for it; returns seconds to the next look."""
        if self._memory is None or self._alarm is None:
            return SELDOM
        memory = self._memory
        if memory.refresh():
            self._set_alarm(memory)
        used, need = memory.used(), memory.need()
        if self._alarm.look(time.monotonic(), used, need):
            hold = self._alarm.is_urgent(used, need)
            self._series.take(f"{gib(used)} in use", hold=hold)
        return self._alarm.pause(used)

    def _on_shortage(self, name: str) -> None:
        """Handle an allocation that failed in this thread."""
        now = time.monotonic()
        if now - self._last_shortage >= QUIET:
            self._last_shortage = now
            self._series.take(name)

    def _end(self) -> None:
        """Handle the exit of the interpreter."""
        if self._at_exit:
            self._series.take("exit")
        self.disarm()

    def _forget(self) -> None:
        """Forget the watcher in a forked child, which must wait for nothing."""
        self._is_over = True
        atexit.unregister(self._end)
        shortage.unwatch()


def _bytes(rss: str | float, memory: Memory) -> int:
    """Return the size at which to save a snapshot, in bytes."""
    try:
        if isinstance(rss, bool):
            raise TypeError("a truth value is no size")
        if isinstance(rss, int):
            threshold = rss
        else:
            text = rss if isinstance(rss, str) else f"{100 * rss}%"
            threshold = size(text, memory.limit)
    except (ValueError, TypeError) as error:
        raise ArgumentError(
            f"rss must be bytes, '12GiB' or a share such as '90%' or 0.9, not {rss!r}."
        ) from error
    if threshold < LEAST:
        raise ArgumentError(
            f"rss must be 1 MiB or more, not {rss!r}: Python alone takes more, so give"
            " a unit, as in '12GiB'."
        )
    return threshold


def _forget_in_child() -> None:
    """A forked child is not armed."""
    global _armed
    if _armed is not None:
        _armed._forget()
        _armed = None


_armed: Armed | None = None
os.register_at_fork(after_in_child=_forget_in_child)
