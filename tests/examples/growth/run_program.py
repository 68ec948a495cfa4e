"""Runs a program of programs.py, and prints what grew, as JSON.

run_program.py NAME ROUNDS [FOLDER]    saves snapshots and summaries there, too

The rate is what the program counts itself, or what tracemalloc counts in later steps.
"""

import gc
import json
import os
import statistics
import sys
import tracemalloc
import types

import programs

import leakgraph


def rounds_of(step, program, first, rounds, look):
    """Call look() after each round of steps; returns what it said."""
    seen = []
    for number in range(first, first + rounds * make.calls):
        step(number + 1)
        if (number + 1) % make.calls == 0:
            if getattr(program, "collects", True):
                gc.collect()
            seen.append(look())
    return seen


def traced(step, program, rounds):
    """Bytes that each step adds, as tracemalloc counts them in more rounds.

    A table of the interpreter that becomes larger in one of them does not count.
    """
    tracemalloc.start()
    seen = rounds_of(
        step,
        program,
        rounds * make.calls,
        4,
        lambda: tracemalloc.get_traced_memory()[0],
    )
    gains = [after - before for before, after in zip(seen, seen[1:])]
    return statistics.median(gains) / make.calls


# The collector looks only at what the program makes, not at its libraries.
gc.freeze()
name, rounds = sys.argv[1], int(sys.argv[2])
folder = sys.argv[3] if len(sys.argv) > 3 else None
make = programs.PROGRAMS[name]
program = types.SimpleNamespace()
step = make(program)
measured = []


def look():
    """A snapshot; before it, what the program measures itself."""
    measured.append(getattr(program, "measure", int)())
    return leakgraph.snapshot()


snapshots = rounds_of(step, program, 0, rounds, look)
steps = [(1 + i) * make.calls for i in range(rounds)]
said = json.loads(leakgraph.diff(*snapshots, steps=steps, min_bytes=4096).json)
if make.kind == "honest":
    summaries = [
        snapshot.summary(f"{number}.lgsum") for number, snapshot in enumerate(snapshots)
    ]
    said["parts"] = [
        [row.held_by for row in leakgraph.diff(*part, min_bytes=4096)]
        for count in range(3, rounds)
        for part in (summaries[:count], summaries[-count:])
    ]
if folder:
    for number, snapshot in enumerate(snapshots):
        snapshot.save(f"{folder}/{number}.lgs")
        snapshot.summary(f"{folder}/{number}.lgsum")
if make.kind != "honest":
    rate = getattr(program, "rate", None)
    if hasattr(program, "measure"):
        rate = (measured[-1] - measured[0]) / (steps[-1] - steps[0])
    said["rate"] = traced(step, program, rounds) if rate is None else rate
print(json.dumps(said), flush=True)
# Threads that wait forever do not end.
os._exit(0)
