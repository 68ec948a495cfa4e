"""Times pictures drawn by the renderer process against Graphviz called directly.

First pictures are compared with first direct drawings, and later ones with later
ones. For a first picture, the renderer starts for it, or while the process has other
work.

    python bench/drawing.py PROGRAM [--rounds 30] [--resident 0 1024]

PROGRAM is bench_drawing, built from drawing.c. Prints a Markdown table: milliseconds
per picture, least and median of the rounds, in a process of the given resident size.
"""

from __future__ import annotations

import argparse
import ast
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import leakgraph


def pictures() -> dict[str, str]:
    """Make DOT of a small, a usual and a large picture."""
    kept = {"losses": [object() for _ in range(3)], "options": {"lr": 0.1}}
    return {
        "5 boxes": leakgraph.show_refs(kept).dot,
        "40 boxes": leakgraph.show_refs(ast, max_nodes=40).dot,
        "120 boxes": leakgraph.show_refs(ast).dot,
    }


def measure(program: str, dot: Path, suffix: str, rounds: int, resident: int) -> str:
    """Make a row: first pictures and what renderers add, later ones and the same."""
    renderer = str(Path(leakgraph.__file__).with_name("leakgraph-render"))
    said = subprocess.run(
        [program, str(dot), suffix, str(rounds), str(resident)],
        env={**os.environ, "LEAKGRAPH_RENDERER": renderer},
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    times = list(map(float, said.split()[:10]))
    first, started, early, later, again = (times[i : i + 2] for i in range(0, 10, 2))
    pairs = [
        *(first, started, difference(started, first), early, difference(early, first)),
        *(later, again, difference(again, later)),
    ]
    text = " | ".join(f"{least:.1f}, {median:.1f}" for least, median in pairs)
    return f"{resident} MiB | {text} |"


def difference(one: list[float], other: list[float]) -> list[float]:
    """Subtract the least from the least, and the median from the median."""
    return [a - b for a, b in zip(one, other)]


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--resident", type=int, nargs="+", default=[0, 1024])
    options = parser.parse_args()
    print(
        "| picture | format | process | direct, first | renderer | more | early | more "
        "| direct, later | renderer | more |"
    )
    print("|" + " --- |" * 11)
    with tempfile.TemporaryDirectory() as folder:
        dot = Path(folder) / "picture.dot"
        for name, text in pictures().items():
            dot.write_text(text, encoding="utf-8")
            for suffix in ("svg", "png"):
                for resident in options.resident:
                    row = measure(
                        options.program, dot, suffix, options.rounds, resident
                    )
                    print(f"| {name} | {suffix} | {row}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
