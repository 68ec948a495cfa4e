"""memory_profiler: the trend of resident memory.

The way of its documentation: memory_usage() of a function, as `mprof run` samples it.
"""

from __future__ import annotations

import memory_profiler
from answer import Answer, Program

NAME = "memory_profiler"
PACKAGES = ("memory_profiler",)
RESTART = True
COMMANDS = 0
CLAIMS = ("rate",)


def look(program: Program) -> Answer:
    """Add these lines to the program."""
    usage = memory_profiler.memory_usage((program.run, (), {}), interval=0.05)
    print(f"from {usage[0]:.2f} MiB to {usage[-1]:.2f} MiB")
    return read(usage, program.total)


def read(usage: list[float], calls: int) -> Answer:
    """Read the gain of all samples."""
    return Answer(rate=[(usage[-1] - usage[0]) * (1 << 20) / calls])
