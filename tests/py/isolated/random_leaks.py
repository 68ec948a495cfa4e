"""Random programs grow, and a fork empties what the growth says to empty.

Each argument is the seed of a program. It has a few containers, in one of several
shapes, and puts values of a few types into some of them each time.
"""

import collections
import functools
import gc
import os
import random
import re
import sys

import leakgraph


class Holder:
    pass


class Item:
    def __init__(self, number):
        self.data = bytearray(400 + number % 7)


class Other:
    __slots__ = ("data",)

    def __init__(self, number):
        self.data = bytearray(300 + number % 7)


VALUES = {
    "item": Item,
    "other": Other,
    "float": lambda number: number + 0.25,
    "int": lambda number: 10**9 + number,
    "str": lambda number: f"some text {number}" * 3,
    "bytes": lambda number: bytes(200 + number % 7),
    "tuple": lambda number: (number + 0.5, f"text {number}"),
    "list": lambda number: [number, bytearray(90)],
    "dict": lambda number: {"number": number + 10**8, "data": bytearray(100)},
    "closure": lambda number: lambda: number,
    "partial": lambda number: functools.partial(print, Item(number)),
}
ADD = {
    "list": (list, lambda into, key, value: into.append(value)),
    "deque": (collections.deque, lambda into, key, value: into.append(value)),
    "dict": (dict, lambda into, key, value: into.__setitem__(key, value)),
    "named": (dict, lambda into, key, value: into.__setitem__(f"key {key}", value)),
    "tuples": (list, lambda into, key, value: into.append((key, value))),
    "records": (list, lambda into, key, value: into.append({"value": value})),
}
root = Holder()


def attributes(made):
    vars(root).update((f"c{at}", one) for at, one in enumerate(made))
    return [(lambda at=at: vars(root)[f"c{at}"]) for at in range(len(made))]


def by_name(made):
    root.all = {f"c{at}": one for at, one in enumerate(made)}
    return [(lambda at=at: root.all[f"c{at}"]) for at in range(len(made))]


def listed(made):
    root.all = list(made)
    return [(lambda at=at: root.all[at]) for at in range(len(made))]


def nested(made):
    root.all = {"left": {}, "right": {}}
    side = ("left", "right")
    for at, one in enumerate(made):
        root.all[side[at % 2]][f"c{at}"] = one
    return [(lambda at=at: root.all[side[at % 2]][f"c{at}"]) for at in range(len(made))]


def resolve(path):
    """List the objects that a path names; `[*]` stands for all."""
    found = [sys.modules["__main__"]]
    for step in re.findall(r"\.\w+|\[\*\]|\[[^\]]+\]", path.removeprefix("__main__")):
        if step[0] == ".":
            found = [getattr(one, step[1:]) for one in found]
        elif step == "[*]":
            found = [
                each
                for one in found
                for each in (one.values() if isinstance(one, dict) else one)
            ]
        else:
            found = [one[eval(step[1:-1])] for one in found]
    return found


def reachable():
    gc.collect()
    return leakgraph.snapshot().analyze().reachable.host


def empty_and_look(growth, index):
    """Return what is wrong after all holders of a leak are empty, as text."""
    row = growth[index]
    before = reachable()
    for holder in row.holders:
        for one in resolve(holder.held_by.split("  ")[0]):
            one.clear()
    one = None
    freed = before - reachable()
    gained = sum(each.gained for each in growth if each.lead == index)
    if abs(freed - row.freed.total) > 0.1 * row.freed.total + 20_000:
        return f"{row.held_by}: {freed} of {row.freed.total} freed"
    return f"{row.held_by}: {freed} of {gained} freed" if freed < 0.9 * gained else ""


def in_a_fork(*question):
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            said = empty_and_look(*question)
        except BaseException as error:
            said = repr(error)
        os.write(write, said.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said


def grow(seed):
    """Compare four snapshots of a program."""
    chosen = random.Random(seed)
    vars(root).clear()
    kinds = [chosen.choice(list(ADD)) for _ in range(chosen.randint(1, 5))]
    if chosen.random() < 0.5:
        kinds = kinds[:1] * len(kinds)
    shape = chosen.choice([attributes, by_name, listed, nested])
    places = shape([ADD[kind][0]() for kind in kinds])
    flows = [
        (
            VALUES[chosen.choice(list(VALUES))],
            chosen.sample(range(len(kinds)), chosen.randint(1, min(3, len(kinds)))),
            chosen.choice([1, 1, 1, 3, 10]),
        )
        for _ in range(chosen.randint(1, 4))
    ]
    each = chosen.choice([60, 150])
    snapshots = []
    for number in range(4 * each):
        for flow, (make, into, every) in enumerate(flows):
            value = make(number) if number % every == 0 else None
            for at in into if value is not None else ():
                ADD[kinds[at]][1](places[at](), 7 * number + flow, value)
        value = None
        if number % each == each - 1:
            snapshots.append(leakgraph.snapshot())
    return leakgraph.diff(*snapshots)


leaks = 0
for seed in map(int, sys.argv[1:]):
    growth = grow(seed)
    for index, row in enumerate(growth):
        if "root" in row.held_by and row.lead == index and not row.minor:
            leaks += 1
            said = in_a_fork(growth, index) if row.holders else "it has no holder"
            if said:
                print(f"seed {seed}: {said}\n{growth}")
print(leaks, "leaks")
