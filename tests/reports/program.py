"""Runs a program of the corpus in one of the ways in which users look for a leak.

A program ends with `program.run(work, let_go)`. `work(number)` is one call, request or
training step; `let_go()` drops what the calls left behind. On the command line it takes

    truth [fixed] [late]     measure what a call leaves, and that let_go() frees it;
                             late: once caches are full, and modules imported
    repeat [fixed]           ask leakgraph.repeat()
    findings [fixed]         ask leakgraph.findings() after some calls
    loop SECONDS [fixed]     call the work at a steady pace, for watch and attach

and prints its answer as JSON in the last line.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import sys
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

FIXED = "fixed" in sys.argv[1:]
NATIVE = "malloc" in sys.argv[1:]

if "truth" in sys.argv[1:] and not NATIVE:
    tracemalloc.start()

WARM, ROUNDS, CALLS = 20, 4, 25
#: By then, honest programs have filled what they fill.
LATE = 400
#: Calls in a second of a loop, at a steady pace so that a rate per second is known.
PACE = 25


class _Mallinfo(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in [
            "arena",
            "ordblks",
            "smblks",
            "hblks",
            "hblkhd",
            "usmblks",
            "fsmblks",
            "uordblks",
            "fordblks",
            "keepcost",
        ]
    ]


def _malloc_in_use() -> int:
    """Count the bytes that malloc has handed out, by its own account."""
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = _Mallinfo
    info = mallinfo()
    return int(info.uordblks + info.hblkhd)


def _python_in_use() -> int:
    """Count the bytes of the blocks that Python's allocators have handed out."""
    return tracemalloc.get_traced_memory()[0]


def _settled(in_use: Callable[[], int]) -> int:
    for _ in range(3):
        gc.collect()
    return in_use()


def _truth(call: Callable[[], None], let_go: Callable[[], None]) -> dict[str, Any]:
    """Measure what a call leaves by two accounts that know nothing of leakgraph."""
    in_use = _malloc_in_use if NATIVE else _python_in_use
    for _ in range(LATE if "late" in sys.argv[1:] else WARM):
        call()
    first = _settled(in_use)
    for _ in range(ROUNDS * CALLS):
        call()
    last = _settled(in_use)
    let_go()
    gained = last - first
    return {
        "per_call": gained / (ROUNDS * CALLS),
        "freed": (last - _settled(in_use)) / max(1, gained),
    }


def _rows(growth: Any) -> list[dict[str, Any]]:
    return [json.loads(row.json) for row in growth]


def _repeat(call: Callable[[], None]) -> dict[str, Any]:
    import leakgraph

    growth = leakgraph.repeat(call, warmup=WARM, rounds=ROUNDS, calls=CALLS)
    return {"rows": _rows(growth), "text": str(growth)}


def _findings(call: Callable[[], None]) -> dict[str, Any]:
    import leakgraph

    for _ in range(WARM + ROUNDS * CALLS):
        call()
    found = leakgraph.findings()
    return {"findings": [json.loads(each.json) for each in found], "text": str(found)}


def _loop(call: Callable[[], None], seconds: float) -> dict[str, Any]:
    begin, done = time.monotonic(), 0
    while time.monotonic() < begin + seconds:
        call()
        done += 1
        time.sleep(max(0.0, begin + done / PACE - time.monotonic()))
    return {"calls": done, "seconds": time.monotonic() - begin}


def run(work: Callable[[int], None], let_go: Callable[[], None]) -> None:
    """Do what the command line says."""
    numbers = iter(range(1000, sys.maxsize))

    def call() -> None:
        work(next(numbers))

    mode = sys.argv[1]
    if mode == "truth":
        answer = _truth(call, let_go)
    elif mode == "repeat":
        answer = _repeat(call)
    elif mode == "findings":
        answer = _findings(call)
    else:
        answer = _loop(call, float(sys.argv[2]))
    with contextlib.suppress(BrokenPipeError):
        print(json.dumps(answer), flush=True)
