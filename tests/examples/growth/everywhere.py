"""Leaks in all kinds of holders, and prints the place of each as JSON.

The keys of places are the same in every process that runs this, and in every version of
CPython.
"""

import collections
import gc
import json
import types

import leakgraph


class Plain:
    def __init__(self, number):
        self.values = [float(number)] * 40


class Slotted:
    __slots__ = ("next", "values")

    def __init__(self, number, following):
        self.values = [float(number)] * 40
        self.next = following


def counter(number):
    values = [float(number)] * 40
    yield values
    yield number


def wrapped(inner, number):
    values = [float(number)] * 40

    def outer():
        return inner, values

    return outer


program = types.SimpleNamespace(
    instances=[],
    table={},
    members=set(),
    window=collections.deque(),
    head=None,
    generators=[],
    chain=None,
    methods=[],
    pairs=[],
    buffer=bytearray(),
    tree={},
    errors=[],
    counts=collections.defaultdict(list),
)


def step(number):
    program.instances.append(Plain(number))
    program.table[f"key {number}"] = bytes(400 + number % 2)
    program.members.add((float(number), bytes(300)))
    program.window.append(Plain(number))
    program.head = Slotted(number, program.head)
    program.generators.append(counter(number))
    next(program.generators[-1])
    program.chain = wrapped(program.chain, number)
    program.methods.append(Plain(number).__init__)
    program.pairs.append((number, {"a": bytes(500)}))
    program.buffer.extend(bytes(1000))
    at = program.tree
    for digit in str(number):
        at = at.setdefault(digit, {"leaf": bytes(100)})
    program.counts["all"].append(bytes(300))
    try:
        raise ValueError(bytes(800))
    except ValueError as error:
        program.errors.append(error.with_traceback(None))


def main():
    snapshots = []
    for round_ in range(3):
        for number in range(200 * round_, 200 * round_ + 200):
            step(number)
        gc.collect()
        snapshots.append(leakgraph.snapshot())
    growth = leakgraph.diff(*snapshots, min_bytes=20_000)
    places = [row for row in growth if row.verdict != "native"]
    print(json.dumps({row.place: f"{row.held_by}  {row.type}" for row in places}))


main()
