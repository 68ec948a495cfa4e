"""Times a snapshot of a big heap against the collector and against pure Python.

    python bench/capture.py [--objects 5000000] [--rounds 5] [--processes 10]

Prints two Markdown tables: one of a process's first capture, and one of later captures.
Later captures reuse memory (leakgraph.keep_memory); the row "nothing kept" shows the
default, which returns the memory after each. A first capture waits for fresh pages,
which a virtual machine may have to get from outside, so the first table has the best
and the worst of several processes. In the second table the collector and the capture
take turns on the same heap; each figure is the median of its rounds, but the walk in
Python runs once. Seconds are by the clock. A capture uses a second thread if it can:
"busy" is the processor time of all threads, and its ratio to that of a collection. The
last row is of a process that has only imported some libraries: it has functions, code,
classes and texts, but no records.
"""

from __future__ import annotations

import argparse
import gc
import platform
import statistics
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar, get_args

import heap

import leakgraph

T = TypeVar("T")


def python_walk() -> int:
    """Walk the object graph in pure Python; return the number of references."""
    found: dict[int, int] = {}
    waiting = gc.get_objects()
    for thing in waiting:
        found[id(thing)] = len(found)
    targets: list[int] = []
    while waiting:
        for thing in gc.get_referents(waiting.pop()):
            index = found.setdefault(id(thing), len(found))
            if index == len(found) - 1:
                waiting.append(thing)
            targets.append(index)
    return len(targets)


def seconds(
    work: Callable[[], object], clock: Callable[[], float] = time.perf_counter
) -> float:
    """Measure the seconds of one call and of freeing its result."""
    start = clock()
    work()
    return clock() - start


def capture_and_free() -> None:
    """Take a snapshot and free it."""
    leakgraph.snapshot().close()


def held_seconds() -> float:
    """Measure how long one capture held the GIL, in seconds by the clock."""
    with leakgraph.snapshot() as snapshot:
        return float(snapshot.info()["capture.seconds"])


def resident(name: str) -> int:
    """Read bytes: "VmRSS", the process's memory now; "VmHWM", its peak so far."""
    status = Path("/proc/self/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith(name))
    return int(line.split()[1]) * 1024


Column = Literal[
    "address",
    "type",
    "size",
    "refcount",
    "found",
    "node_flags",
    "first_edge",
    "edge_target",
    "edge_payload",
    "edge_kind",
]
COLUMNS: tuple[Column, ...] = get_args(Column)


MOST = 2 << 30
"""Bytes to keep from one capture to the next."""

LIBRARIES = ("numpy", "pandas", "matplotlib.pyplot", "torch")


def in_new_process(work: Callable[..., T], *args: object, **named: object) -> T:
    """Call a function in a process of its own and return its result."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(work, args, named)


class First(NamedTuple):
    """The cost of a process's first capture."""

    nodes: int
    collect: float
    """Seconds of a collection."""
    capture: float
    """Seconds of the capture."""
    kept: float
    """Bytes per node."""
    peak: float
    """The same at the peak."""


def first_of_records(objects: int, *, shuffled: bool) -> First:
    """Measure the first capture of a process that has a heap of records."""
    gc.disable()
    kept = heap.records(objects, shuffled=shuffled)
    measured = first()
    del kept
    return measured


def import_libraries() -> str:
    """Import the libraries that are installed; return their names."""
    there = [name for name in LIBRARIES if find_spec(name.split(".")[0])]
    for name in there:
        import_module(name)
    return "importing " + ", ".join(there or ["nothing"])


def first_of_libraries() -> First:
    """Measure the first capture of a process that has only imported some libraries."""
    import_libraries()
    return first()


def first() -> First:
    """Measure the first capture of this process."""
    gc.disable()
    gc.collect()
    base = statistics.median(seconds(gc.collect) for _ in range(3))
    Path("/proc/self/clear_refs").write_text("5")  # reset the high-water mark
    before = resident("VmRSS")
    start = time.perf_counter()
    snapshot = leakgraph.snapshot()
    capture = time.perf_counter() - start
    peak = resident("VmHWM") - before
    kept = sum(snapshot.column(name).nbytes for name in COLUMNS)
    nodes = len(snapshot)
    return First(nodes, base, capture, kept / nodes, peak / nodes)


def first_row(what: str, runs: list[First]) -> str:
    """Make one row of the first table."""
    runs.sort(key=lambda run: run.capture / run.collect)
    best, worst = runs[0], runs[-1]
    return (
        f"| {best.nodes / 1e6:.1f} M, {what} | {best.collect:.3f} s "
        f"| {best.capture:.3f} s | {best.capture / best.collect:.2f} "
        f"| {worst.capture:.3f} s | {worst.capture / worst.collect:.2f} "
        f"| {best.kept:.0f} B | {max(run.peak for run in runs):.0f} B |"
    )


def later_row(objects: int, rounds: int, *, shuffled: bool) -> str:
    """Make the second table's rows of one heap."""
    kept = heap.records(objects, shuffled=shuffled)
    what = "shuffled" if shuffled else "ordered"
    rows = [measured_row(what, rounds, keep=MOST)]
    if not shuffled:
        rows.append(measured_row(f"{what}, nothing kept", rounds, keep=0))
    del kept
    return "\n".join(rows)


def libraries_row(rounds: int) -> str:
    """Make the same rows for a process that has imported some libraries."""
    return measured_row(import_libraries(), rounds, keep=MOST)


def measured_row(what: str, rounds: int, *, keep: int) -> str:
    """Make a row about this process in its present state."""
    leakgraph.keep_memory(keep)
    gc.disable()
    gc.collect()
    capture_and_free()
    collect, capture, busy, held = [], [], [], []
    for _ in range(rounds):
        collect.append(seconds(gc.collect))
        capture.append(seconds(capture_and_free))
        busy.append(seconds(capture_and_free, time.process_time))
        held.append(held_seconds())
    walk = seconds(python_walk)
    with leakgraph.snapshot() as snapshot:
        nodes = len(snapshot)
    base = statistics.median(collect)
    whole = statistics.median(capture)
    return (
        f"| {nodes / 1e6:.1f} M, {what} | {base:.3f} s | {whole:.3f} s "
        f"| {whole / base:.2f} | {statistics.median(busy) / base:.2f} "
        f"| {statistics.median(held):.3f} s "
        f"| {walk:.1f} s | {walk / whole:.0f} |"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, default=5_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--processes", type=int, default=10)
    options = parser.parse_args()
    print(f"CPython {platform.python_version()}, {platform.machine()}\n")
    print(
        "| nodes | gc.collect() | first snapshot(), best | ratio | worst | ratio "
        "| kept per node | peak |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    processes = range(options.processes)
    for shuffled in (False, True):
        runs = [
            in_new_process(first_of_records, options.objects, shuffled=shuffled)
            for _ in processes
        ]
        print(first_row("shuffled" if shuffled else "ordered", runs), flush=True)
    runs = [in_new_process(first_of_libraries) for _ in processes]
    print(first_row("importing libraries", runs), flush=True)
    print(
        "\n| nodes | gc.collect() | snapshot() | ratio | busy | GIL held "
        "| walk in Python | ratio |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for shuffled in (False, True):
        row = in_new_process(
            later_row, options.objects, options.rounds, shuffled=shuffled
        )
        print(row, flush=True)
    print(in_new_process(libraries_row, options.rounds), flush=True)


if __name__ == "__main__":
    main()
