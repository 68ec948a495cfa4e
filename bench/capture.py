"""Times a snapshot of a big heap against the collector and against pure Python.

    python bench/capture.py [--objects 5000000] [--rounds 5]

Prints a Markdown table. The three take turns in one process, on the same heap;
each figure is the median of its rounds, the walk in Python has one round.
"""

from __future__ import annotations

import argparse
import gc
import platform
import statistics
import time
from collections.abc import Callable

import heap

import leakgraph


def python_walk() -> int:
    """The object graph as pure Python can find it; the number of references."""
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


def seconds(work: Callable[[], object]) -> float:
    """Wall-clock seconds of one call; its result is freed within."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def held_seconds() -> float:
    """Seconds that one capture held the GIL for, as it says itself."""
    with leakgraph.snapshot() as snapshot:
        return float(snapshot.info()["capture.seconds"])


def measure(objects: int, rounds: int, *, shuffled: bool) -> str:
    """One row of the table."""
    kept = heap.records(objects, shuffled=shuffled)
    gc.collect()
    collect, capture, held = [], [], []
    for _ in range(rounds):
        collect.append(seconds(gc.collect))
        capture.append(seconds(lambda: leakgraph.snapshot().close()))
        held.append(held_seconds())
    walk = seconds(python_walk)
    with leakgraph.snapshot() as snapshot:
        nodes = len(snapshot)
    base = statistics.median(collect)
    whole = statistics.median(capture)
    order = "shuffled" if shuffled else "ordered"
    del kept
    return (
        f"| {nodes / 1e6:.1f} M, {order} | {base:.3f} s | {whole:.3f} s "
        f"| {whole / base:.2f} | {statistics.median(held):.3f} s "
        f"| {walk:.1f} s | {walk / whole:.0f} |"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, default=5_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    gc.disable()
    print(f"CPython {platform.python_version()}, {platform.machine()}\n")
    print(
        "| nodes | gc.collect() | snapshot() | ratio | GIL held "
        "| walk in Python | ratio |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for shuffled in (False, True):
        print(measure(options.objects, options.rounds, shuffled=shuffled), flush=True)


if __name__ == "__main__":
    main()
