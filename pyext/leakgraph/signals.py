"""The signal on which a program saves snapshots, or reports."""

from __future__ import annotations

import os
import select
import signal
import sys
from contextlib import suppress

from leakgraph._core import (
    ArgumentError,
    _close_signal_fd,
    _hears_signal,
    _open_signal_fd,
)
from leakgraph.run import say

__all__ = ["DEFAULT", "Ear", "signal_name", "signal_number"]

#: Signals that servers and schedulers give a meaning to: SIGUSR1 and SIGUSR2 (gunicorn,
#: Celery, Slurm), SIGHUP, SIGWINCH (gunicorn). SIGURG has none for them, and a process
#: that handles no SIGURG ignores it, so it does not matter which process gets it.
DEFAULT = "SIGURG"


class Ear:
    """Hears a signal in any thread, until it is closed."""

    def __init__(self, number: int, *, ends: bool = False) -> None:
        """Listen; `ends` says that the signal is to end forked children as ever."""
        self.number, self.name = number, signal_name(number)
        self._descriptor = _open_signal_fd(number, ends)
        self._poll = select.poll()
        self._poll.register(self._descriptor, select.POLLIN)
        self._has_warned = ends

    def wait(self, seconds: float) -> bool:
        """Wait so long for the signal, or for close(); False if neither came.

        Says once if the program takes the signal over.
        """
        heard = bool(self._poll.poll(1000 * seconds))
        if not heard and not self._has_warned and not _hears_signal(self.number):
            self._has_warned = True
            say(
                f"the program has set its own handler of {self.name}, so leakgraph may"
                " not get that signal; choose another one with signal=, or --signal"
            )
        if heard:
            self.drain()
        return heard

    def drain(self) -> None:
        """Read what the signal wrote, so that the next wait blocks."""
        with suppress(BlockingIOError):
            os.read(self._descriptor, 8)

    def close(self) -> None:
        """Give the signal back, and wake up who waits."""
        _close_signal_fd(self.number)
        self._has_warned = True
        self.ring()

    def ring(self) -> None:
        """Wake up who waits, as the signal does."""
        os.write(self._descriptor, (1).to_bytes(8, sys.byteorder))


def signal_number(name: str | int) -> int:
    """A signal's number by its name, with or without SIG, or number."""
    if isinstance(name, bool):
        raise ArgumentError(f"signal must be a name or a number, not {name}.")
    if isinstance(name, int):
        return _handled(name)
    upper = name.upper()
    known = signal.Signals.__members__
    found = known.get(upper if upper.startswith("SIG") else "SIG" + upper)
    if found is None:
        raise ArgumentError(f"There is no signal {name}.")
    return _handled(int(found))


def _handled(number: int) -> int:
    """The signal, if a program can handle it."""
    if number in (signal.SIGKILL, signal.SIGSTOP):
        raise ArgumentError(
            f"No program can handle {signal_name(number)}; use another signal, such as"
            f" {DEFAULT}."
        )
    return number


def signal_name(number: int) -> str:
    """The name of a signal; real-time signals have numbers only."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
