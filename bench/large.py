"""Measures how to capture, save, load and analyse one very large heap.

    python bench/large.py [--objects 50000000]

Prints a Markdown table with one row for each step: the thread's seconds, nanoseconds
per node, and bytes per node of memory at the step's peak, beyond what was resident
before the step. One process makes the heap, captures and saves it; another one loads
the file and analyses it. It refuses to begin where the machine has too little memory.
"""

from __future__ import annotations

import argparse
import gc
import os
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import heap
from capture import in_new_process, resident

import leakgraph

T = TypeVar("T")

NEEDED = 200
"""Bytes a node: the objects themselves and what the capture takes, with some room."""


def available() -> int:
    """Estimate how many bytes of memory a program could get now."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    line = next(line for line in lines if line.startswith("MemAvailable"))
    return int(line.split()[1]) * 1024


def step(name: str, work: Callable[[], T], count: Callable[[T], int]) -> T:
    """Run a step and print its row; `count` finds the number of nodes in its result."""
    Path("/proc/self/clear_refs").write_text("5")  # reset the high-water mark
    before, start = resident("VmRSS"), time.perf_counter()
    result = work()
    seconds, peak = time.perf_counter() - start, resident("VmHWM") - before
    nodes = count(result)
    print(
        f"| {name} | {seconds:.2f} s | {1e9 * seconds / nodes:.0f} ns "
        f"| {peak / nodes:.1f} B |",
        flush=True,
    )
    return result


def write(objects: int, path: str) -> int:
    """Make so many objects, capture and save them; return the number of nodes."""
    gc.disable()
    kept = step(
        "the heap itself",
        lambda: heap.records(objects, shuffled=False),
        lambda kept: objects,
    )
    step("gc.collect()", gc.collect, lambda unreachable: objects)
    snapshot = step("capture", leakgraph.snapshot, len)
    nodes = len(snapshot)
    step("save", lambda: snapshot.save(path), lambda saved: nodes)
    del kept
    return nodes


def read(path: str) -> None:
    """Load a file and analyse its snapshot."""
    snapshot = step("load and check", lambda: leakgraph.load(path), len)
    nodes = len(snapshot)
    step("analyse", snapshot.analyze, lambda analysis: nodes)
    step("top(20)", lambda: snapshot.top(20), lambda top: nodes)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, default=50_000_000)
    options = parser.parse_args()
    if available() < NEEDED * options.objects:
        raise SystemExit(
            f"{options.objects:,} objects need {NEEDED * options.objects >> 30} GiB "
            f"of memory, and {available() >> 30} are available: give --objects a "
            f"smaller number"
        )
    print("| step | seconds | a node | memory at its peak, a node |")
    print("| --- | --- | --- | --- |", flush=True)
    with TemporaryDirectory() as folder:
        path = os.path.join(folder, "large.lgs")
        nodes = in_new_process(write, options.objects, path)
        in_new_process(read, path)
        size = os.path.getsize(path)
    print(f"\n{nodes:,} nodes, a file of {size >> 20} MiB, {size / nodes:.2f} B a node")


if __name__ == "__main__":
    main()
