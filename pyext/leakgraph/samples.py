"""Cheap numbers about the memory of this process at many points, and their trend."""

from __future__ import annotations

import contextlib
import gc
import sys
import time
from array import array

from leakgraph._core import _line, _malloc_bytes, _resident_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from typing import Union

    _Path = Union[str, bytes, os.PathLike[str], os.PathLike[bytes]]

__all__ = ["FLOORS", "MOST", "Log", "Window", "on_devices", "read"]

#: The most samples that a window holds.
MOST = 60
#: What read() reads, and how much a trend must gain to be looked at: any program gains
#: less now and then, such as a new arena.
FLOORS = {
    "resident bytes": 1 << 20,
    "bytes of malloc": 1 << 16,
    "blocks of objects": 500,
    "uncollectable objects": 100,
    "bytes on devices": 1 << 20,
}


#: How many seconds one number of a sample may take.
DEAR = 0.0005


def read() -> tuple[float, ...]:
    """Return a number for each of FLOORS; import nothing and change nothing."""
    uncollectable = sum(generation["uncollectable"] for generation in gc.get_stats())
    blocks = sys.getallocatedblocks()
    malloc = _malloc.read()
    return _resident_bytes(), malloc, blocks, uncollectable, on_devices()


class _Malloc:
    """Reads what malloc has in use, for which malloc looks at every free block.

    If there are many, a call may take longer than a step of the program. After a call
    that takes N times DEAR, the next N samples repeat its answer.
    """

    def __init__(
        self,
        ask: Callable[[], int] = _malloc_bytes,
        clock: Callable[[], float] = time.thread_time,
    ) -> None:
        self._ask, self._clock = ask, clock
        self._bytes = self._repeats = 0

    def read(self) -> int:
        """Return bytes; 0: unknown."""
        if self._repeats:
            self._repeats -= 1
            return self._bytes
        before = self._clock()
        self._bytes = max(self._ask(), 0)
        self._repeats = int((self._clock() - before) / DEAR)
        return self._bytes


_malloc = _Malloc()


def on_devices() -> int:
    """Return the bytes that PyTorch has allocated on CUDA devices, if it uses them."""
    cuda = getattr(sys.modules.get("torch"), "cuda", None)
    if cuda is None or not cuda.is_initialized():
        return 0
    # Not memory_allocated(): it leaves garbage, a closure that refers to itself.
    asked = map(cuda.memory_stats_as_nested_dict, range(cuda.device_count()))
    totals = [stats.get("allocated_bytes", {}).get("all", {}) for stats in asked]
    return sum(total.get("current", 0) for total in totals)


class Log:
    """A file of samples, which a report draws as memory over time.

    Each line is written whole, so a reader can look at any time. Where the disk is
    full, the file ends, and the program goes on.
    """

    #: What the columns are called.
    NAMES = "time,resident,malloc,blocks,uncollectable,devices,step"

    def __init__(self, path: _Path) -> None:
        self._file = open(path, "w", encoding="ascii", buffering=1)  # noqa: SIM115
        self._file.write(f"{self.NAMES}\n")

    def add(self, values: tuple[float, ...], step: int | None = None) -> None:
        """Write a sample of this moment: numbers as read() returns them, or fewer."""
        numbers = [f"{value:.0f}" for value in values]
        numbers += [""] * (len(FLOORS) - len(numbers))
        numbers.append("" if step is None else str(step))
        try:
            self._file.write(f"{time.time():.3f},{','.join(numbers)}\n")
        except (OSError, ValueError):
            self.close()

    def close(self) -> None:
        """End the file."""
        with contextlib.suppress(OSError):
            self._file.close()


class Window:
    """The latest samples, up to MOST; older samples are further apart.

    Everything has its place from the start, so a window does not grow.
    """

    def __init__(self) -> None:
        self.count = 0
        self._x = array("d", bytes(8 * MOST))
        self._values = [array("d", bytes(8 * MOST)) for _ in FLOORS]

    @property
    def span(self) -> float:
        """The distance from the first sample to the last."""
        return self._x[self.count - 1] - self._x[0] if self.count else 0.0

    @property
    def end(self) -> float:
        """Where the last sample is."""
        return self._x[self.count - 1]

    def add(self, x: float, values: tuple[float, ...]) -> bool:
        """Add the values at x, which ascends. Return whether samples were dropped."""
        is_full = self.count == MOST
        if is_full:
            self._thin()
        self._x[self.count] = x
        for series, value in zip(self._values, values):
            series[self.count] = value
        self.count += 1
        return is_full

    def _thin(self) -> None:
        """Keep every other sample."""
        for series in (self._x, *self._values):
            for i in range(MOST // 2):
                series[i] = series[2 * i + 1]
        self.count = MOST // 2

    def clear(self) -> None:
        """Forget all samples."""
        self.count = 0

    @property
    def last(self) -> tuple[float, ...]:
        """The numbers of the last sample; zeros before the first."""
        return tuple(series[max(self.count - 1, 0)] for series in self._values)

    def above(self, floor: float, share: float) -> list[str]:
        """Resident bytes, if the later half stays above the first by this much."""
        later = self._values[0][self.count // 2 : self.count]
        kept = min(later, default=0.0) - self._values[0][0]
        return ["resident bytes"] * (kept >= max(floor, share * self.last[0]))

    def rising(self) -> list[str]:
        """What rises beyond its noise and its floor."""
        if not self.count:
            return []
        x = self._x[: self.count].tobytes()
        names = []
        for (name, floor), series in zip(FLOORS.items(), self._values):
            slope, _, rises = _line(x, series[: self.count].tobytes())
            if rises and slope * self.span >= floor:
                names.append(name)
        return names

    def gained(self) -> dict[str, float]:
        """The last number of each series less its first one."""
        last = max(self.count - 1, 0)
        return {
            name: series[last] - series[0] for name, series in zip(FLOORS, self._values)
        }
