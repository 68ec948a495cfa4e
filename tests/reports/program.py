"""Runs a program of the corpus in one of the ways in which users look for a leak.

A program ends with `program.run(work, let_go)`. `work(number)` is one call, request or
training step; `let_go()` drops what the calls left behind. On the command line it takes

    truth [fixed] [late]     measure what a call leaves, and that let_go() frees it;
                             late: once caches are full, and modules imported
    repeat [fixed]           ask leakgraph.repeat()
    findings [fixed]         ask leakgraph.findings() after some calls
    loop SECONDS [fixed]     call the work at a steady pace, for watch and attach, and
                             say when; SIGTERM ends it

and prints its answer as JSON in the last line.
"""

from __future__ import annotations

import array
import contextlib
import ctypes
import gc
import json
import os
import re
import signal
import sys
import tempfile
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
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
#: So many of the last calls of a loop have their times in its answer. Under load, the
#: pace is not steady, and snapshots stop the loop.
MOST_TIMES = 1 << 13


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


@contextlib.contextmanager
def _stderr_in(path: str) -> Iterator[None]:
    """Send to a file what C code writes to stderr."""
    kept, taken = os.dup(2), os.open(path, os.O_WRONLY)
    try:
        os.dup2(taken, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(taken)
        os.close(kept)


def _small_in_use() -> int:
    """Count the bytes of Python's small blocks in use, by its own account."""
    with tempfile.NamedTemporaryFile() as told:
        with _stderr_in(told.name):
            sys._debugmallocstats()
        text = told.read().decode()
    found = re.search(r"# bytes in allocated blocks *= *([\d,]+)", text)
    return int(found[1].replace(",", "")) if found else 0


def _stack_of(thread: threading.Thread) -> range:
    """Ask the C library where the stack of a thread is."""
    libc, attributes = ctypes.CDLL(None), ctypes.create_string_buffer(256)
    start, size = ctypes.c_void_p(), ctypes.c_size_t()
    if libc.pthread_getattr_np(ctypes.c_ulong(thread.ident or 0), attributes):
        return range(0)
    libc.pthread_attr_getstack(attributes, ctypes.byref(start), ctypes.byref(size))
    libc.pthread_attr_destroy(attributes)
    return range(start.value or 0, (start.value or 0) + size.value)


def _stacks_in_use() -> int:
    """Count the resident bytes of the stacks of threads, by the kernel's account."""
    main = threading.main_thread()
    stacks = [_stack_of(each) for each in threading.enumerate() if each is not main]
    total, inside = 0, False
    with open("/proc/self/smaps", encoding="utf-8") as mappings:
        for line in mappings if stacks else ():
            if found := re.match(r"([0-9a-f]+)-([0-9a-f]+) ", line):
                start, end = int(found[1], 16), int(found[2], 16)
                inside = any(start < of.stop and end > of.start for of in stacks)
            elif inside and line.startswith("Rss:"):
                total += int(line.split()[1]) << 10
    return total


def _in_use() -> int:
    """Count the bytes that the allocators have handed out, and the stacks."""
    if NATIVE:
        return _malloc_in_use() + _small_in_use() + _stacks_in_use()
    return tracemalloc.get_traced_memory()[0] + _stacks_in_use()


def _settled() -> int:
    for _ in range(3):
        gc.collect()
    return _in_use()


def _truth(call: Callable[[], None], let_go: Callable[[], None]) -> dict[str, Any]:
    """Measure what a call leaves by accounts that know nothing of leakgraph."""
    for _ in range(LATE if "late" in sys.argv[1:] else WARM):
        call()
    _settled()
    first = _settled()
    for _ in range(ROUNDS * CALLS):
        call()
    last = _settled()
    let_go()
    gained = last - first
    return {
        "per_call": gained / (ROUNDS * CALLS),
        "freed": (last - _settled()) / max(1, gained),
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
    for _ in range(WARM):
        call()
    stopped = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopped.set())
    print("running", flush=True)
    begin, done = time.monotonic(), 0
    times = array.array("d", bytes(8 * MOST_TIMES))
    while time.monotonic() < begin + seconds and not stopped.is_set():
        call()
        times[done % MOST_TIMES] = time.time()
        done += 1
        time.sleep(max(0.0, begin + done / PACE - time.monotonic()))
    return {
        "calls": done,
        "seconds": time.monotonic() - begin,
        "times": sorted(times)[-min(done, MOST_TIMES) :],
    }


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
