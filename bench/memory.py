"""Measures how many bytes a node leakgraph needs at its peak, and beside other builds.

    python bench/memory.py [--objects 4000000] [--rounds 3] [--against FOLDER]

FOLDER has the package of another build, which takes turns with this one, each in new
processes. Prints a Markdown table: for each heap and step the bytes per node beyond
what was resident before, and the seconds by the clock; of both builds, the medians of
the rounds, and the ratios of these. "Kept" is what stays once a snapshot is there. The
steps go on from one to the next: answers need the analysis and the capture before them.
A forked child has the pages of its parent; its row counts what it takes beyond them.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import heap
from capture import import_libraries, resident

Figures = dict[str, tuple[float, float]]
"""Bytes per node and seconds of each step."""

HEAPS: dict[str, Callable[[int], object]] = {
    "ordered": lambda objects: heap.records(objects, shuffled=False),
    "shuffled": lambda objects: heap.records(objects, shuffled=True),
    "libraries": lambda objects: import_libraries(),
}


class Peaks:
    """The steps of a process, each with the memory since the first."""

    def __init__(self) -> None:
        self.before = resident("VmRSS")
        self.figures: Figures = {}

    def step(self, name: str, work: Callable[[], object]) -> None:
        """Run a step; note its seconds, and the most that was resident."""
        Path("/proc/self/clear_refs").write_text("5")  # reset the high-water mark
        start = time.perf_counter()
        work()
        seconds = time.perf_counter() - start
        self.figures[name] = (resident("VmHWM") - self.before, seconds)

    def kept(self, name: str) -> None:
        """Note what is resident now."""
        self.figures[name] = (resident("VmRSS") - self.before, 0.0)


def answers() -> tuple[Figures, int]:
    """Capture this process, and ask for what keeps a record, for top and cycles."""
    import leakgraph

    gc.disable()
    gc.collect()
    peaks = Peaks()
    found: list[leakgraph.Snapshot] = []
    peaks.step("snapshot()", lambda: found.append(leakgraph.snapshot()))
    peaks.kept("kept")
    snapshot = found[0]
    nodes = len(snapshot)
    peaks.step("why", lambda: snapshot.why(snapshot.nodes[nodes // 2]))
    peaks.step("top", lambda: snapshot.top(20))
    peaks.step("cycles", snapshot.cycles)
    peaks.kept("kept after all")
    return peaks.figures, nodes


def child_memory(done: threading.Event) -> int:
    """Watch this process's child until it is done: its most anonymous memory."""
    most = 0
    while not done.is_set():
        for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
            try:
                status = Path(f"/proc/{pid}/status").read_text()
            except OSError:
                continue
            at = status.find("RssAnon:")
            if at >= 0:
                most = max(most, int(status[at:].split()[1]) * 1024)
        time.sleep(0.002)
    return most


def saves(*, fork: bool) -> tuple[Figures, int]:
    """Save a capture of this process."""
    import leakgraph

    gc.disable()
    gc.collect()
    done = threading.Event()
    most: list[int] = []
    watcher = threading.Thread(target=lambda: most.append(child_memory(done)))
    if fork:
        watcher.start()
    with TemporaryDirectory() as folder:
        path = os.path.join(folder, "heap.lgs")
        name = "save_snapshot(fork=True)" if fork else "save_snapshot()"
        peaks = Peaks()
        before = resident("RssAnon")
        peaks.step(name, lambda: leakgraph.save_snapshot(path, fork=fork))
        done.set()
        with leakgraph.load(path) as snapshot:
            nodes = len(snapshot)
        if fork:
            watcher.join()
            peaks.figures[name] = (most[0] - before, peaks.figures[name][1])
            peaks.figures["file"] = (os.path.getsize(path), 0.0)
    return peaks.figures, nodes


def measure(what: str, objects: int, part: str) -> None:
    """Print the figures of one part in this process as JSON."""
    made = HEAPS[what](objects)
    if part == "answers":
        figures, nodes = answers()
    else:
        figures, nodes = saves(fork=part == "fork")
    del made
    print(
        json.dumps(
            {name: (figure[0] / nodes, figure[1]) for name, figure in figures.items()}
        )
    )


def run(package: str, what: str, objects: int) -> Figures:
    """Measure all parts of one heap with the package in that folder."""
    figures: Figures = {}
    size = ["--objects", str(objects)]
    for part in ("answers", "save", "fork"):
        done = subprocess.run(
            [sys.executable, __file__, "--part", part, "--heap", what, *size],
            env={**os.environ, "PYTHONPATH": package},
            check=True,
            capture_output=True,
            text=True,
        )
        figures |= json.loads(done.stdout.splitlines()[-1])
    return figures


def print_rows(what: str, runs: dict[str, list[Figures]]) -> None:
    """Print the rows of one heap."""
    for step in runs["this"][0]:
        cells = [f"| {what}, {step}"]
        medians = {
            build: [
                statistics.median(figures[step][i] for figures in rounds)
                for i in (0, 1)
            ]
            for build, rounds in runs.items()
        }
        for memory, seconds in medians.values():
            cells += [f"{memory:.1f} B", f"{seconds:.3f} s" if seconds else ""]
        if "other" in medians:
            (memory, seconds), (other, before) = medians["this"], medians["other"]
            cells += [
                f"{memory / other:.2f}",
                f"{seconds / before:.2f}" if before else "",
            ]
        print(" | ".join(cells) + " |", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, default=4_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--against", help="a folder with the package of another build")
    parser.add_argument("--heap", choices=list(HEAPS), action="append")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    options = parser.parse_args()
    heaps = options.heap or list(HEAPS)
    if options.part:
        measure(heaps[0], options.objects, options.part)
        return
    builds = {"other": options.against} if options.against else {}
    builds["this"] = os.environ.get("PYTHONPATH", "")
    columns = ["a node", "seconds"] * len(builds) + ["ratio", "ratio"] * bool(
        options.against
    )
    print("| heap, step | " + " | ".join(columns) + " |")
    print("| --- |" + " --- |" * len(columns), flush=True)
    for what in heaps:
        runs: dict[str, list[Figures]] = {build: [] for build in builds}
        for _ in range(options.rounds):
            for build, package in builds.items():
                runs[build].append(run(package, what, options.objects))
        print_rows(what, runs)


if __name__ == "__main__":
    main()
