"""Runs analyses until Ctrl-C has stopped two: python interrupted.py.

test_interrupt.py runs this script, and presses Ctrl-C once for each line that asks for
it.
"""

import random
import time

import leakgraph

random.seed(1)
component = [[] for _ in range(60_000)]
for node in component:
    node.extend(random.choices(component, k=3))
del node


def stopped(snapshot):
    """Whether Ctrl-C stops an analysis; the signal may come too late."""
    phases = []

    def progress(phase, done):
        if not phases:
            print("press", flush=True)
        phases.append(phase)

    try:
        snapshot.analyze(progress=progress)
        phases.append("done")
        time.sleep(100)
    except KeyboardInterrupt:
        return "done" not in phases
    raise AssertionError("nobody pressed Ctrl-C")


hits = 0
while hits < 2:
    snapshot = leakgraph.snapshot()
    hits += stopped(snapshot)
assert snapshot.find(component).retained > 60_000 * 56
assert snapshot.cycles(min_bytes=0).total > 0
print("analysed", flush=True)
