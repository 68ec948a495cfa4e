"""Cuts what why() names in a fork of this process, and checks that the object dies.

Each seed makes other instances, lists, dicts and tuples, held by a module.
Prints how many objects the cuts freed, and why they did not free an object.
"""

import gc
import os
import random
import sys
import weakref

import random_heap

import leakgraph

OBJECTS = 14


def make(seed):
    """Make objects that refer to each other at random; some are globals."""
    chance = random.Random(seed)
    made = random_heap.make(chance, OBJECTS, "a{}".format)
    for i in chance.sample(range(OBJECTS), 3):
        globals()[f"global_{seed}_{i}"] = made[i]
    return random_heap.with_weak_references(made)


def find(address):
    """Return the live object at an address; the search holds no other object."""
    if address == id(sys.modules[__name__]):
        return sys.modules[__name__]
    for known in gc.get_objects():
        if id(known) == address:
            return known
    raise LookupError(hex(address))


def cut_in_fork(hops, reference):
    """Whether the object dies in a child that removes these references."""
    child = os.fork()
    if child == 0:
        for hop in hops:
            random_heap.cut(find(hop.source.address), hop.label)
        gc.collect()
        os._exit(0 if reference() is None else 1)
    return os.waitpid(child, 0)[1] == 0


def main(seeds):
    """Cut what why() names, for every object that a root reaches."""
    gone = several = 0
    for seed in range(seeds):
        references = [weakref.ref(thing) for thing in make(seed)]
        gc.collect()
        snapshot = leakgraph.snapshot()
        for reference in references:
            thing = reference()
            if thing is None:
                continue
            why = snapshot.why(snapshot.find(thing))
            del thing
            sets = [(hop,) for hop in why.frees]
            if why.cuts and why.cut_count == len(why.cuts) and why.kept is None:
                sets.append(why.cuts)
                several += len(why.cuts) > 1
            for hops in sets:
                if len(hops) > 1 and cut_in_fork(hops[1:], reference):
                    print(f"seed {seed}: one cut less would do\n{why}")
                if cut_in_fork(hops, reference):
                    gone += 1
                else:
                    labels = [f"{hop.source!r}{hop.label}" for hop in hops]
                    print(f"seed {seed}: not gone after {labels}\n{why}")
    print(f"{gone > 100 and several > 20}: {gone} gone, {several} sets of several")


main(int(sys.argv[1]))
