"""Values pile up in a declared context variable, also among many, or in variables made
for each call."""

import contextvars
import json
import sys

import leakgraph

session = contextvars.ContextVar("session")
others = [contextvars.ContextVar(f"other {number}") for number in range(1000)]
others = others if sys.argv[1] == "many" else []


class Record:
    """What is kept."""

    def __init__(self, size):
        self.data = bytes(size)


def declared(number):
    session.get().append(Record(3000 + number % 2))


def made(number):
    contextvars.ContextVar(f"call {number}").set(Record(2000 + number % 2))


def main(step):
    session.set([])
    for other in others:
        other.set(0)
    for number in range(500):  # from now on, the mapping has its depth
        step(number)
    snapshots = []
    for round_ in range(3):
        for number in range(500 + 50 * round_, 550 + 50 * round_):
            step(number)
        snapshots.append(leakgraph.snapshot())
    growth = leakgraph.diff(*snapshots, min_bytes=20_000)
    print(json.dumps({row.place: row.held_by for row in growth}))


main(made if sys.argv[1] == "made" else declared)
