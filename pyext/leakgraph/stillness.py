"""Finds out cheaply that a piece of work leaves nothing behind.

A snapshot takes as long as the heap is big; the numbers of the allocators take
microseconds. What is left behind raises them with each call. Python's free lists, which
would hide it, are empty after a full collection. The heap from before is frozen, so
that such a collection looks only at what is new.
"""

from __future__ import annotations

import gc
import os
import sys
from array import array

from leakgraph._core import _malloc_bytes
from leakgraph.samples import on_devices

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Stillness", "observe"]

#: What is read after each call: blocks of objects, bytes of malloc and of devices.
NUMBERS = 3


class Stillness:
    """What observe() has found out."""

    def __init__(self, grows: bool, has_cycles: bool) -> None:
        #: Whether the work may leave objects or memory behind.
        self.grows = grows
        #: Whether it may leave reference cycles to the collector.
        self.has_cycles = has_cycles


def observe(work: Callable[[], object], warmup: int, rounds: int) -> Stillness:
    """Call work() `warmup` times, and then `rounds` times to see whether numbers rise.

    If they do, looks once more, for caches may have filled meanwhile. If in doubt, the
    answer is that they rise.
    """
    seen = _look(work, warmup, rounds)
    return _look(work, 0, rounds) if seen.grows else seen


def _look(work: Callable[[], object], warmup: int, rounds: int) -> Stillness:
    """Call work() and read the numbers after each call but those for warmup."""
    numbers = array("q", bytes(8 * NUMBERS * (rounds + 1)))
    freezes = gc.get_freeze_count() == 0
    was_enabled, has_cycles = gc.isenabled(), False
    if freezes:
        gc.freeze()
    gc.disable()
    try:
        for call in range(-warmup, rounds + 1):
            if call != 0:
                work()
            found = gc.collect()
            if call >= 0:
                _read(numbers, call)
                has_cycles = has_cycles or (call > 0 and found > 0)
    finally:
        if freezes:
            gc.unfreeze()
        if was_enabled:
            gc.enable()
    series = [numbers[which::NUMBERS] for which in range(NUMBERS)]
    return Stillness(not _is_known() or any(map(_rises, series)), has_cycles)


def _is_known() -> bool:
    """Whether the allocators say what they have given out: mimalloc does not."""
    asked_for = os.environ.get("PYTHONMALLOC", "")
    is_mimalloc = "t" in sys.abiflags or asked_for.startswith("mimalloc")
    return sys.getallocatedblocks() > 0 and not is_mimalloc


def _read(numbers: array[int], call: int) -> None:
    """Read the numbers into their places."""
    at = NUMBERS * call
    numbers[at] = sys.getallocatedblocks()
    numbers[at + 1] = _malloc_bytes()
    numbers[at + 2] = on_devices()


def _rises(series: array[int]) -> bool:
    """Whether a series is higher at its end, or rose in each of its last two steps."""
    first, last = series[0], series[-1]
    return last > first or series[-3:] == array("q", sorted(set(series[-3:])))
