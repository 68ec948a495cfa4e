"""Shows where the time of a capture goes, in a process that imported libraries.

    python bench/capture_parts.py [--captures 30]

Prints two Markdown tables: the kinds of objects, and each part's share of the processor
time, as perf samples it. Needs perf, and NumPy.
"""

from __future__ import annotations

import argparse
import gc
import os
import re
import signal
import subprocess
import tempfile
import time
from collections import defaultdict
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy

import leakgraph

LIBRARIES = ("numpy", "pandas", "matplotlib.pyplot", "torch")
MOST = 2 << 30
"""Bytes to keep from one capture to the next."""
KINDS = 14
"""Rows of the first table."""

PARTS = (
    ("the kernel: pages, /proc", r"\[k\]"),
    ("clearing the map of addresses", r"memset"),
    ("the loop, types, columns", r"lg__walk_run|walk_edges|enumerate|chain|fill_"),
    ("functions, code, cells", r"walk_struct|edges_of_code"),
    ("tuples, lists, sets", r"walk_items|walk_tuple|walk_list|walk_set"),
    ("dicts", r"walk_dict|walk_entries|walk_split"),
    ("instances", r"walk_instance"),
    ("other types", r"named|edge_names|name_edge|edges_of|visit|traverse|type|layout"),
    ("sizes", r"size"),
    (
        "texts",
        r"text|name|clean|strings_|next_flagged|mark_|memmove|memcpy|add_|strlen",
    ),
    ("finishing the graph", r"lg__|finish|radix"),
)
"""What a symbol of perf belongs to: the first that matches."""


def kinds(snapshot: leakgraph.Snapshot) -> str:
    """The table of the most frequent types."""
    types = numpy.asarray(snapshot.column("type"))
    degrees = numpy.diff(numpy.asarray(snapshot.column("first_edge")))
    ids, firsts, inverse = numpy.unique(types, return_index=True, return_inverse=True)
    counts = numpy.bincount(inverse)
    references = numpy.bincount(inverse, weights=degrees[: len(types)])
    rows = ["| type | objects | references |", "| --- | --- | --- |"]
    for kind in numpy.argsort(-counts)[:KINDS]:
        name = snapshot.node(int(firsts[kind])).type_name[:32]
        rows.append(f"| {name} | {counts[kind]:,} | {int(references[kind]):,} |")
    rows.append(f"| *all {len(ids):,}* | {len(types):,} | {int(degrees.sum()):,} |")
    return "\n".join(rows)


def sampled(captures: int, path: Path) -> float:
    """Take captures while perf samples this process; return the seconds of one."""
    command = ["perf", "record", "-q", "-F", "2000", "-e", "cpu-clock"]
    with subprocess.Popen([*command, "-o", path, "-p", str(os.getpid())]) as perf:
        time.sleep(2)  # until perf has attached
        start = time.perf_counter()
        for _ in range(captures):
            leakgraph.snapshot().close()
        seconds = (time.perf_counter() - start) / captures
        perf.send_signal(signal.SIGINT)
    return seconds


def shares(path: Path) -> list[tuple[str, float]]:
    """Count per cent of the samples by part."""
    command = ["perf", "report", "--stdio", "--no-children", "--sort=sym", "-i"]
    report = subprocess.run(
        [*command, path], capture_output=True, text=True, check=True
    )
    found: defaultdict[str, float] = defaultdict(float)
    for line in report.stdout.splitlines():
        match = re.match(r"\s*([0-9.]+)%\s+(.*)", line)
        if match:
            symbol = match[2]
            parts = (part for part, pattern in PARTS if re.search(pattern, symbol))
            found[next(parts, "the rest: adapters, C library")] += float(match[1])
    return sorted(found.items(), key=lambda part: -part[1])


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--captures", type=int, default=30)
    options = parser.parse_args()
    for name in LIBRARIES:
        if find_spec(name.split(".")[0]):
            import_module(name)
    leakgraph.keep_memory(MOST)
    gc.disable()
    gc.collect()
    with leakgraph.snapshot() as snapshot:
        print(kinds(snapshot))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "perf.data"
        seconds = sampled(options.captures, path)
        found = shares(path)
    print(f"\nA capture took {seconds:.3f} s.\n\n| part | share |\n| --- | --- |")
    for part, share in found:
        print(f"| {part} | {share:.0f} % |")


if __name__ == "__main__":
    main()
