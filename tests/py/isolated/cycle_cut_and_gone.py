"""Cuts what cycles() names in a fork of this process, where nothing collects.

Each seed makes another tangle of instances, lists, dicts and tuples. After the script
cuts the references of its cycles and drops its names, reference counts alone free every
object. Prints how many objects were freed, and which were not.
"""

import ast
import gc
import os
import random
import re
import sys
import weakref

import leakgraph

OBJECTS = 12


class Thing:
    """An object with attributes and weak references."""


class Keeper(list):
    """A list with weak references."""


def hold(source, target, number):
    """Add a reference from source to target."""
    if isinstance(source, Thing):
        setattr(source, f"a{number % 5}_{number}" if number % 2 else "parent", target)
    elif isinstance(source, dict):
        source[f"k{number}"] = target
    elif number % 3:
        source.append(target)
    else:
        source.append((target, number))


def tangle(seed):
    """Objects that refer to each other at random; globals hold them all."""
    chance = random.Random(seed)
    made = [chance.choice((Thing, Thing, Keeper, dict))() for _ in range(OBJECTS)]
    number = 0
    for source in made:
        for _ in range(chance.randrange(4)):
            number += 1
            hold(source, chance.choice(made), number)
    globals()["held"] = made
    return [weakref.ref(thing) for thing in made if isinstance(thing, (Thing, Keeper))]


def cut(source, label):
    """Remove one reference, as a person who reads its label would."""
    if re.fullmatch(r"\.\w+", label):
        delattr(source, label[1:])
    elif isinstance(source, dict):
        del source[ast.literal_eval(label)[0]]
    else:
        source[ast.literal_eval(label)[0]] = None


def cut_all(cycles):
    """Cut what the cycles name."""
    live = {id(known): known for known in gc.get_objects()}
    wanted = [(edge.source.address, edge.label) for c in cycles for edge in c.cut_edges]
    for address, label in wanted:
        cut(live[address], label)


def left_in_fork(cycles, references):
    """How many objects are left in a child that cuts all and forgets their names."""
    child = os.fork()
    if child == 0:
        cut_all(cycles)
        del globals()["held"]
        os._exit(sum(reference() is not None for reference in references))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main(seeds):
    """Cut the named references of each tangle."""
    gc.disable()
    gone = several = stuck = 0
    for seed in range(seeds):
        references = tangle(seed)
        snapshot = leakgraph.snapshot()
        ours = {id(thing) for thing in globals()["held"]}
        cycles = [
            cycle
            for cycle in snapshot.cycles(min_bytes=0, limit=None, kind="held")
            if ours & {node.address for node in cycle.nodes}
        ]
        if any(cycle.more or cycle.left for cycle in cycles):
            print(f"seed {seed}: not all is named\n{cycles}")
            continue
        several += any(len(cycle.cut_edges) > 1 for cycle in cycles)
        stuck += left_in_fork([], references)
        left = left_in_fork(cycles, references)
        if left:
            print(f"seed {seed}: {left} objects are left\n{cycles}")
        gone += len(references) - left
        globals()["held"].clear()
        gc.collect()
    done = gone > 5 * seeds and stuck > seeds and several > seeds // 4
    print(f"{done}: {gone} gone, {stuck} not without cuts, several in {several}")


main(int(sys.argv[1]))
