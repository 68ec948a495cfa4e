"""Times the analysis of real heaps against igraph and semi-NCA on the whole graph.

    python bench/analysis.py PROGRAM [--objects 1000000 10000000] [--rounds 3]

PROGRAM is bench_analysis, built from analysis.c. Prints a Markdown table. A process of
its own makes and saves each heap, and another one measures each figure: the median of
its rounds, and the peak of its memory beyond the graph itself. Before it times
anything, it compares every dominator with semi-NCA's.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

METHODS = ("leakgraph", "semi-nca", "igraph")

RECORDS = """
class Record:
    def __init__(self, number):
        self.number = number + 1_000_000_007
        self.name = f"record {number}"
        self.tags = [f"tag {number}", number * 0.5]
        self.place = {"x": number * 0.25, "key": (self.name, self.tags)}
kept = [Record(i) for i in range(OBJECTS // 10)]
"""
# Every twentieth record is in a component with its neighbours, some with two entries.
CYCLIC = (
    RECORDS
    + """
for i in range(0, len(kept) - 6, 60):
    a, b, c = kept[i : i + 3]
    a.peer, b.peer, c.peer = b, c, a
    c.other = b
"""
)
TREE = """
class Node:
    __slots__ = ("parent", "children", "name", "value")
    def __init__(self, parent, number):
        self.parent = parent
        self.children = []
        self.name = f"node {number}"
        self.value = number * 0.5
kept = [Node(None, 0)]
for i in range(1, OBJECTS // 4):
    kept.append(Node(kept[(i - 1) // 3], i))
    kept[i].parent.children.append(kept[i])
del kept[1:], i
"""
TORCH = """
import matplotlib.pyplot, pandas, torch
model = torch.nn.Sequential(*(torch.nn.Linear(8, 8) for _ in range(200)))
matplotlib.rcParams["figure.max_open_warning"] = 0
more = range(max(OBJECTS - 800_000, 0) // 27_000)
figures = [matplotlib.pyplot.subplots(4, 4) for _ in more]
frame = pandas.DataFrame({"a": range(1000), "b": [str(i) for i in range(1000)]})
"""
# Each record refers to others anywhere in memory, as in a long-running process.
SHUFFLED = """
import sys
sys.path.insert(0, BENCH)
import heap
kept = heap.records(OBJECTS, shuffled=True)
"""
# No element lies on every path to another, so no element dominates another.
LINKED = """
class Element:
    __slots__ = ("before", "after", "value")
kept = [Element() for _ in range(OBJECTS // 2)]
for i, element in enumerate(kept):
    element.before = kept[i - 1] if i > 0 else None
    element.after = kept[i + 1] if i + 1 < len(kept) else None
    element.value = i * 0.5
del kept[1:-1], element
"""
HEAPS = {
    "application records": RECORDS,
    "records with cycles": CYCLIC,
    "tree with parent pointers": TREE,
    "torch, pandas, matplotlib": TORCH,
    "records in any order": SHUFFLED,
    "linked list, both ends held": LINKED,
}
SAVE = "\nimport leakgraph\nleakgraph.save_snapshot(FILE)\n"


def make(source: str, objects: int, file: Path) -> None:
    """Save the heap of a process that runs the source."""
    here = str(Path(__file__).parent)
    head = f"OBJECTS = {objects}\nFILE = {str(file)!r}\nBENCH = {here!r}\n"
    subprocess.run(
        [sys.executable, "-c", head + source + SAVE],
        check=True,
        env=os.environ | {"MPLBACKEND": "agg"},
    )


def ask(program: str, file: Path, method: str) -> list[float]:
    """The figures that the program prints."""
    done = subprocess.run(
        [program, str(file), method], check=True, capture_output=True, text=True
    )
    return [float(word) for word in done.stdout.split()]


def measure(program: str, name: str, file: Path, rounds: int) -> str:
    """One row of the table."""
    nodes, members = ask(program, file, "count")
    (different,) = ask(program, file, "compare")
    if different:
        raise SystemExit(f"{name}: {different:.0f} dominators differ")
    cells = [name, f"{nodes / 1e6:.2f} M", f"{100 * members / nodes:.1f} %"]
    seconds = []
    for method in METHODS:
        figures = [ask(program, file, method) for _ in range(rounds)]
        seconds.append(statistics.median(figure[0] for figure in figures))
        peak = statistics.median(figure[1] for figure in figures)
        cells.append(f"{seconds[-1]:.3f} s, {peak / nodes:.0f} B")
    cells.append(f"{seconds[0] / seconds[1]:.2f}")
    cells.append(f"{seconds[2] / seconds[0]:.0f}")
    return "| " + " | ".join(cells) + " |"


def parse(description: str | None) -> argparse.Namespace:
    """The arguments of a benchmark that asks a program about heaps."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("program")
    sizes = [1_000_000, 10_000_000]
    parser.add_argument("--objects", type=int, nargs="+", default=sizes)
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


def made(sizes: list[int]) -> Iterator[tuple[str, Path]]:
    """Yield each heap's name and file, for each size; all heaps share one file."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "heap.lgs")
        for objects in sizes:
            for name, source in HEAPS.items():
                make(source, objects, file)
                yield name, file


def main() -> None:
    """Print the table."""
    options = parse(__doc__)
    print(
        "| heap | nodes | in components | leakgraph | semi-NCA, whole | igraph, whole "
        "| to semi-NCA | igraph to it |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, file in made(options.objects):
        print(measure(options.program, name, file, options.rounds), flush=True)


if __name__ == "__main__":
    main()
