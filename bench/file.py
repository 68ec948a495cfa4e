"""Times saving and loading snapshots, and measures the files.

    python bench/file.py [--objects 2000000] [--rounds 3]

Prints a Markdown table with one row for each kind of heap and level of compression.
Seconds are the thread's own for a million objects, the median of the rounds; the ratio
compares them with `gc.collect()` in the same process. The peak is the resident memory
that saving or loading needs, without the memory before it and without the loaded
columns.
"""

from __future__ import annotations

import argparse
import gc
import os
import platform
import statistics
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import heap
from capture import COLUMNS, import_libraries, in_new_process, resident, seconds

import leakgraph

LEVELS = (0, 1, 3, 9)


def peak_of(work: Callable[[], object]) -> int:
    """Measure the resident bytes at the peak of a call beyond those before it."""
    before = resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # reset the high-water mark
    work()
    return resident("VmHWM") - before


def measured_rows(what: str, rounds: int, folder: str) -> str:
    """Yield the rows about this process in its present state."""
    gc.disable()
    gc.collect()
    base = statistics.median(seconds(gc.collect) for _ in range(3))
    snapshot = leakgraph.snapshot()
    millions = len(snapshot) / 1e6
    columns = sum(snapshot.column(name).nbytes for name in COLUMNS)
    path = os.path.join(folder, "run.lgs")
    rows = []
    for level in LEVELS:

        def save(level: int = level) -> None:
            snapshot.save(path, compress=level)

        def load() -> None:
            leakgraph.load(path).close()

        peaks = peak_of(save), peak_of(load) - columns
        saving = statistics.median(seconds(save) for _ in range(rounds))
        loading = statistics.median(seconds(load) for _ in range(rounds))
        rows.append(
            f"| {millions:.1f} M, {what} | {level} "
            f"| {os.path.getsize(path) / millions / 1e6:.2f} B "
            f"| {saving / millions:.3f} s | {saving / base:.2f} "
            f"| {loading / millions:.3f} s | {loading / base:.2f} "
            f"| {peaks[0] / 2**20:.0f} MiB | {max(peaks[1], 0) / 2**20:.0f} MiB |"
        )
    return "\n".join(rows)


def record_rows(objects: int, rounds: int, folder: str, *, shuffled: bool) -> str:
    """The rows of a heap of records."""
    kept = heap.records(objects, shuffled=shuffled)
    rows = measured_rows("shuffled" if shuffled else "ordered", rounds, folder)
    del kept
    return rows


def library_rows(rounds: int, folder: str) -> str:
    """The rows of a process that has imported some libraries."""
    return measured_rows(import_libraries(), rounds, folder)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, default=2_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(f"CPython {platform.python_version()}, {platform.machine()}\n")
    print(
        "| nodes | level | a node | save a million | ratio | load a million | ratio "
        "| peak of saving | of loading |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    with TemporaryDirectory() as folder:
        for shuffled in (False, True):
            rows = in_new_process(
                record_rows, options.objects, options.rounds, folder, shuffled=shuffled
            )
            print(rows, flush=True)
        print(in_new_process(library_rows, options.rounds, folder), flush=True)


if __name__ == "__main__":
    main()
