"""Runs a program of programs.py, and prints what grew, as JSON.

run_program.py NAME ROUNDS CALLS [FOLDER]    saves snapshots and summaries there, too
"""

import gc
import json
import sys

import programs

import leakgraph

name, rounds, calls = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
folder = sys.argv[4] if len(sys.argv) > 4 else None
program = getattr(programs, name)()
snapshots = []
steps = []
for number in range(1, rounds * calls + 1):
    program.step(number)
    if number % calls == 0:
        gc.collect()
        snapshots.append(leakgraph.snapshot())
        steps.append(number)
growth = leakgraph.diff(*snapshots, steps=steps, min_bytes=4096)
if folder:
    for number, snapshot in enumerate(snapshots):
        snapshot.save(f"{folder}/{number}.lgs")
        snapshot.summary(f"{folder}/{number}.lgsum")
said = json.loads(growth.json)
said["rate"] = getattr(program, "rate", None)
print(json.dumps(said))
