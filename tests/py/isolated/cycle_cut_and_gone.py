"""Cuts what cycles() names in a fork of this process, where nothing collects.

Each seed makes other instances, lists, dicts and tuples. After the script
cuts the references of its cycles and drops its names, reference counts alone free every
object. Prints how many objects were freed, and which were not.
"""

import gc
import os
import random
import sys
import weakref

import random_heap

import leakgraph

OBJECTS = 12


def attribute(number):
    """Return a new name, or one that links back."""
    return f"a{number % 5}_{number}" if number % 2 else "parent"


def make(seed):
    """Make objects that refer to each other at random; globals hold them all."""
    made = random_heap.make(random.Random(seed), OBJECTS, attribute)
    globals()["held"] = made
    return [weakref.ref(thing) for thing in random_heap.with_weak_references(made)]


def cut_all(cycles):
    """Cut what the cycles name."""
    live = {id(known): known for known in gc.get_objects()}
    wanted = [(edge.source.address, edge.label) for c in cycles for edge in c.cut_edges]
    for address, label in wanted:
        random_heap.cut(live[address], label)


def left_in_fork(cycles, references):
    """Count the objects left in a child that cuts all and forgets their names."""
    child = os.fork()
    if child == 0:
        cut_all(cycles)
        del globals()["held"]
        os._exit(sum(reference() is not None for reference in references))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main(seeds):
    """Cut the named references of each heap."""
    gc.disable()
    gone = several = stuck = 0
    for seed in range(seeds):
        references = make(seed)
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
