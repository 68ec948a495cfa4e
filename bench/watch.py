"""What watch() costs: python bench/watch.py [STEPS].

Runs steps of 10 ms of processor time with and without `watch.step()`, in turn, in one
process that holds a heap of a million objects, and prints how much more the watched
ones take. Counts processor time of the whole process, so other programs do not matter.
"""

from __future__ import annotations

import sys
import time

import leakgraph

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


def main(steps: int) -> str:
    """Measure, and sum up in a Markdown table."""
    kept = [[number] for number in range(1_000_000)]
    rounds = calibrate()
    plain = watched = 0.0
    with leakgraph.watch() as watch:
        for _ in range(steps // BLOCK):
            begin = time.process_time()
            for _ in range(BLOCK):
                work(rounds)
            middle = time.process_time()
            for _ in range(BLOCK):
                work(rounds)
                watch.step()
            plain += middle - begin
            watched += time.process_time() - middle
        taken = watch.report()
    begin = time.process_time()
    with leakgraph.watch() as watch:
        for _ in range(100_000):
            watch.step()
    each = (time.process_time() - begin) / 100_000
    assert kept and taken
    return "\n".join(
        [
            "| a step of 10 ms | processor time |",
            "| --- | --- |",
            f"| not watched | {1000 * plain / steps:.3f} ms |",
            f"| watched | {1000 * watched / steps:.3f} ms |",
            f"| more | {100 * (watched / plain - 1):.2f} % |",
            f"| `step()` alone | {1e6 * each:.2f} µs |",
        ]
    )


if __name__ == "__main__":
    print(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1500))
