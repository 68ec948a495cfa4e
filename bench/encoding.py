"""Measures a packed graph on saved heaps: bytes by column, and what reading costs.

    python bench/encoding.py PROGRAM FOLDER [--only NAME ...]

PROGRAM is bench_encoding, built from encoding.c. FOLDER has the files that heaps.py
makes. Prints the Markdown tables of ENCODING.md. Every run first compares the packed
graph with the columns, and every pass gives the same answer on both.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from pathlib import Path

import heaps

FORWARD = ("shapes", "targets", "items", "address", "size", "counts", "tables")
BACK = ("sources", "ranks")
VARIANTS = {
    "64 nodes": ["64"],
    "128 nodes": ["128"],
    "256 nodes": ["256"],
    "no lines": ["128", "lines"],
    "no masks": ["128", "masks"],
    "no exceptions": ["128", "exceptions"],
    "sorted": ["128", "4096"],
}
PAIRS = ("degrees", "rows", "breadth first", "depth first", "any nodes")
ALONE = ("pack", "pack the reverse", "all sources, packed")

Figures = dict[str, float]


def ask(program: str, file: Path, *arguments: str) -> dict[str, object]:
    """Read what the program prints."""
    done = subprocess.run(
        [program, str(file), *arguments], check=True, capture_output=True, text=True
    )
    said: dict[str, object] = json.loads(done.stdout)
    return said


def figures(program: str, file: Path, *arguments: str) -> Figures:
    """Read the numbers that the program prints."""
    said = ask(program, file, *arguments)
    return {name: float(str(number)) for name, number in said.items()}


def table(head: list[str], rows: list[list[str]]) -> str:
    """Format a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines) + "\n"


def raw_of(said: Figures) -> float:
    """Bytes a node of today's columns: 34 for it, and 9 for each reference."""
    return 34 + 9 * said["edges"] / said["nodes"]


def raw_back_of(said: Figures) -> float:
    """Bytes a node of today's index of references back."""
    return 8 + 8 * said["edges"] / said["nodes"]


def print_columns(sizes: dict[str, Figures]) -> None:
    """Print the bytes of each column, in blocks of 128 nodes."""
    rows = []
    for name, said in sizes.items():
        sums = [sum(said[part] for part in parts) for parts in (FORWARD, BACK)]
        cells = [name, f"{said['nodes'] / 1e6:.2f} M", f"{said['kinds']:.0f}"]
        cells += [f"{raw_of(said):.1f}"] + [f"{said[part]:.2f}" for part in FORWARD]
        cells += [
            f"**{sums[0]:.2f}**",
            f"{raw_back_of(said):.1f}",
            f"**{sums[1]:.2f}**",
        ]
        rows.append(cells)
    head = ["heap", "nodes", "shapes in all", "columns", *FORWARD]
    print(table([*head, "sum", "back, raw", "back"], rows), flush=True)


def sizes_of(program: str, files: dict[str, Path]) -> dict[str, Figures]:
    """Measure blocks of 128 nodes."""
    return {name: figures(program, file, "size", "128") for name, file in files.items()}


def print_variants(program: str, files: dict[str, Path]) -> None:
    """Print the sum of all columns of each variant."""
    rows = []
    for name, file in files.items():
        cells = [name]
        for arguments in VARIANTS.values():
            said = figures(program, file, "size", *arguments)
            cells.append(f"{sum(said[part] for part in FORWARD):.2f}")
        rows.append(cells)
    print(table(["heap", *VARIANTS], rows), flush=True)


def print_codings(
    program: str, files: dict[str, Path], sizes: dict[str, Figures]
) -> None:
    """Print bytes and nanoseconds of targets in other codings."""
    rows = []
    head: list[str] = []
    for name, file in files.items():
        said = ask(program, file, "codings", "128")
        said.pop("nodes")
        cells = []
        for pair in said.values():
            assert isinstance(pair, list)
            cells.append(f"{pair[0]:.2f} B, {pair[1]:.0f} ns")
        of = sizes[name]
        columns = f"{of['targets'] + of['items']:.2f} B"
        rows.append([name, f"{4 * of['edges'] / of['nodes']:.1f} B", *cells, columns])
        head = ["heap", "raw", *said, "columns"]
    print(table(head, rows), flush=True)


def print_speeds(program: str, files: dict[str, Path]) -> None:
    """Print the time of each pass, and its ratio to the same pass over columns."""
    rows = []
    for name, file in files.items():
        said = figures(program, file, "speed", "128")
        cells = [name]
        for pair in PAIRS:
            cells.append(f"{said[pair]:.0f}")
            if f"{pair}, copied" in said:
                cells.append(f"{said[f'{pair}, copied'] / said[pair]:.1f}")
            cells.append(f"{said[f'{pair}, packed'] / said[pair]:.1f}")
        rows.append(cells + [f"{said[alone]:.0f}" for alone in ALONE])
    head = ["heap"]
    for pair in PAIRS:
        head += [f"{pair}, ns", "packed"]
        if pair == "depth first":
            head.insert(-1, "copied")
    print(table([*head, "pack, ns", "pack back", "read back"], rows), flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="+", choices=heaps.HEAPS)
    options = parser.parse_args()
    names = options.only or list(heaps.HEAPS)
    files = {name: options.folder / f"{name}.lgs" for name in names}
    sizes = sizes_of(options.program, files)
    print_columns(sizes)
    print_variants(options.program, files)
    print_codings(options.program, files, sizes)
    print_speeds(options.program, files)


if __name__ == "__main__":
    main()
