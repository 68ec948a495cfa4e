"""Measures what watch() costs: python bench/watch.py [STEPS].

Runs steps of 10 ms of processor time with and without `watch.step()`, in turn, in one
process that holds a heap of a million objects, and prints how much more the watched
steps take, pair by pair. Counts processor time of the whole process. Other programs use
the caches and slow both, so the table also compares unwatched steps with each other: a
smaller difference than theirs says nothing.
"""

from __future__ import annotations

import statistics
import sys
import time

import leakgraph

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

STEP = 0.010
BLOCK = 20


def work(rounds: int) -> int:
    """Some arithmetic and short-lived objects."""
    total = 0
    for number in range(rounds):
        total += len([number, str(number)])
    return total


def calibrate() -> int:
    """Find how many rounds of work make a step."""
    rounds = 1000
    while True:
        begin = time.process_time()
        work(rounds)
        took = time.process_time() - begin
        if took >= STEP / 2:
            return int(rounds * STEP / took)
        rounds *= 2


def block(rounds: int, step: Callable[[], object] | None) -> tuple[float, float]:
    """Measure the processor time of BLOCK steps, and the part of it in step()."""
    inside = 0.0
    begin = time.process_time()
    for _ in range(BLOCK):
        work(rounds)
        if step is not None:
            before = time.process_time()
            step()
            inside += time.process_time() - before
    return time.process_time() - begin, inside


def more(times: list[float], others: list[float]) -> str:
    """Compute how much more, pair by pair, with the error of the median."""
    ratios = sorted(a / b - 1 for a, b in zip(times, others))
    middle, reach = len(ratios) / 2, len(ratios) ** 0.5
    low, high = ratios[max(int(middle - reach), 0)], ratios[int(middle + reach)]
    median = statistics.median(ratios)
    return f"{100 * median:+.2f} % ({100 * low:+.2f} to {100 * high:+.2f})"


def main(steps: int) -> str:
    """Measure, and summarise in a Markdown table."""
    kept = [[number] for number in range(1_000_000)]
    rounds = calibrate()
    times: dict[str, list[float]] = {"plain": [], "again": [], "watched": []}
    inside = 0.0
    with leakgraph.watch() as watch:
        for turn in range(steps // BLOCK):
            # The order changes with each turn, so that drift affects all alike.
            for place in range(3):
                name = list(times)[(turn + place) % 3]
                took, own = block(rounds, watch.step if name == "watched" else None)
                times[name].append(took / BLOCK)
                inside += own
    plain, watched = times["plain"], times["watched"]
    begin = time.process_time()
    with leakgraph.watch() as watch:
        for _ in range(100_000):
            watch.step()
    each = (time.process_time() - begin) / 100_000
    assert kept
    return "\n".join(
        [
            "| a step of 10 ms | processor time |",
            "| --- | --- |",
            f"| not watched, median | {1000 * statistics.median(plain):.3f} ms |",
            f"| watched, median | {1000 * statistics.median(watched):.3f} ms |",
            f"| more, median of pairs | {more(watched, plain)} |",
            f"| the same of unwatched steps | {more(times['again'], plain)} |",
            f"| spent in `step()` | {100 * inside / sum(watched) / BLOCK:.3f} % |",
            f"| `step()` alone | {1e6 * each:.2f} µs |",
        ]
    )


if __name__ == "__main__":
    print(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1500))
