"""Times answers about an analysed snapshot, in a process that imported libraries.

    python bench/answers.py [--rounds 7]

Prints a Markdown table: the thread's seconds of the first findings, top and cycles of a
snapshot. Each figure is the median of its rounds.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path
from tempfile import TemporaryDirectory

from capture import import_libraries, seconds

import leakgraph


def measured(path: Path) -> list[float]:
    """Measure the seconds of each answer about a snapshot that was just loaded."""
    with leakgraph.load(path) as snapshot:
        snapshot.analyze()
        answers = (snapshot.findings, snapshot.top, snapshot.cycles)
        return [seconds(answer) for answer in answers]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    import_libraries()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.lgs"
        with leakgraph.snapshot() as snapshot:
            nodes = len(snapshot)
            snapshot.save(path)
        runs = [measured(path) for _ in range(options.rounds)]
    each = [statistics.median(run) for run in zip(*runs)]
    print("| nodes | findings | top | cycles | together |")
    print("| --- | --- | --- | --- | --- |")
    cells = " | ".join(f"{one * 1000:.0f} ms" for one in [*each, sum(each)])
    print(f"| {nodes / 1e6:.2f} M | {cells} |")


if __name__ == "__main__":
    main()
