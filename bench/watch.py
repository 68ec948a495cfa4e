"""What watch() costs: python bench/watch.py [STEPS].

Runs steps of 10 ms of processor time with and without `watch.step()`, in turn, in one
process that holds a heap of a million objects, and prints how much more the watched
ones take, pair by pair. Counts processor time of the whole process, so other programs
matter little.
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
    """How many rounds of work take a step."""
    rounds = 1000
    while True:
        begin = time.process_time()
        work(rounds)
        took = time.process_time() - begin
        if took >= STEP / 2:
            return int(rounds * STEP / took)
        rounds *= 2


def block(rounds: int, step: Callable[[], object] | None) -> tuple[float, float]:
    """Processor time of BLOCK steps, and of that the time in step()."""
    inside = 0.0
    begin = time.process_time()
    for _ in range(BLOCK):
        work(rounds)
        if step is not None:
            before = time.process_time()
            step()
            inside += time.process_time() - before
    return time.process_time() - begin, inside


def main(steps: int) -> str:
    """Measure, and sum up in a Markdown table."""
    kept = [[number] for number in range(1_000_000)]
    rounds = calibrate()
    plain: list[float] = []
    watched: list[float] = []
    inside = 0.0
    with leakgraph.watch() as watch:
        for pair in range(steps // BLOCK):
            # Each pair in the other order: what drifts hits both alike.
            for is_watched in (pair % 2 == 0, pair % 2 == 1):
                took, own = block(rounds, watch.step if is_watched else None)
                (watched if is_watched else plain).append(took / BLOCK)
                inside += own
    more = statistics.median(a / b for a, b in zip(watched, plain)) - 1
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
            f"| more, median of pairs | {100 * more:.2f} % |",
            f"| spent in `step()` | {100 * inside / sum(watched) / BLOCK:.3f} % |",
            f"| `step()` alone | {1e6 * each:.2f} µs |",
        ]
    )


if __name__ == "__main__":
    print(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1500))
