"""Times a comparison of snapshots against the analysis that it needs.

    python bench/growth.py PROGRAM [--objects 1000000 10000000] [--rounds 3]

PROGRAM is bench_growth, built from growth.c. Prints a Markdown table: seconds of
processor time, and nanoseconds for each node.
"""

from __future__ import annotations

import json
import statistics
import subprocess
from pathlib import Path

from analysis import made, parse

WORK = ("analysis", "placing", "summing", "comparing", "saving")


def measure(program: str, file: Path, rounds: int) -> dict[str, float]:
    """Take the median of each figure that the program prints."""
    said = []
    for _ in range(rounds):
        done = subprocess.run(
            [program, str(file)], check=True, capture_output=True, text=True
        )
        said.append(json.loads(done.stdout))
    return {name: statistics.median(each[name] for each in said) for name in said[0]}


def main() -> None:
    """Print the table."""
    options = parse(__doc__)
    print(
        "| heap | nodes | places | analysis | places of it | its summary | "
        "diff of three | saving a summary | its size | places / analysis |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, file in made(options.objects):
        found = measure(options.program, file, options.rounds)
        nodes = found["nodes"]
        cells = [name, f"{nodes / 1e6:.2f} M", f"{found['places']:,.0f}"]
        cells += [
            f"{found[work]:.3f} s, {found[work] / nodes * 1e9:.0f} ns" for work in WORK
        ]
        cells.append(f"{found['summary'] / 1000:.0f} KB")
        cells.append(f"{found['placing'] / found['analysis']:.2f}")
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
