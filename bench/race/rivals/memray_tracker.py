"""memray: the stacks whose memory is not freed at the end.

The way of its documentation for leaks: a Tracker around the part of the program, or
`memray run`, with Python's allocators traced, and then a report with --leaks.
"""

from __future__ import annotations

import csv
import subprocess
import sys

import memray
from answer import Answer, Program

NAME = "memray"
PACKAGES = ("memray",)
RESTART = True
COMMANDS = 1
CLAIMS = ("site", "rate")


def look(program: Program) -> Answer:
    """Add these lines to the program."""
    file = program.folder / "memray.bin"
    with memray.Tracker(file, trace_python_allocators=True):
        program.run()
    return read(leaks(file), program.total)


def leaks(file: object) -> list[dict[str, str]]:
    """Let memray report leaks, the largest first, as its table sorts them."""
    out = f"{file}.csv"
    command = [sys.executable, "-m", "memray", "transform", "csv", "--leaks"]
    subprocess.run([*command, "-f", "-o", out, str(file)], check=True)
    with open(out, encoding="utf-8") as text:
        rows = list(csv.DictReader(text))
    return sorted(rows, key=lambda row: -int(row["size"]))


def read(rows: list[dict[str, str]], calls: float) -> Answer:
    """Read the innermost frames of each stack, and its bytes."""
    entries = []
    for row in rows[:10]:
        frames = [frame.split(";") for frame in row["stack_trace"].split("|")]
        places = [f"{frame[1]}:{frame[2]}" for frame in frames if len(frame) == 3]
        entries.append(f"{row['size']} B " + " ".join(places))
    print(*entries, sep="\n")
    return Answer(site=entries, rate=[int(row["size"]) / calls for row in rows])
