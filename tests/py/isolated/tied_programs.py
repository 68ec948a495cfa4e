"""Cuts what cycles() names in programs that tie objects of their own to libraries.

A fork cuts all that one of cycles() names. Afterwards no cycle is left through its
objects, unless the answer says that one is. The answer names no cut inside a class, and
gives no advice about the structure of a library. Prints how often that is so, and where
it is not.
"""

import argparse
import asyncio
import collections
import dataclasses
import enum
import functools
import gc
import json
import os
import sched
import selectors
import socket
import sqlite3
import types
import typing

import real_programs

import leakgraph


class Owner:
    """A program ties this to other objects."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)

    def called(self, *_):
        """Return itself."""
        return self


def parser():
    made = argparse.ArgumentParser()
    made.add_argument("-x", type=lambda text: made)
    return made


def members():
    class Color(enum.Enum):
        RED = 1
        BLUE = 2

    Color.RED.item = Owner(color=Color.RED)
    return Color.RED


def decoder():
    made = json.JSONDecoder(object_hook=lambda pairs: made)
    return made


def connection():
    owner = Owner()
    owner.connection = sqlite3.connect(":memory:")
    owner.connection.row_factory = owner.called
    return owner


def timer():
    owner = Owner()
    owner.loop = asyncio.new_event_loop()
    owner.handle = owner.loop.call_later(1000, owner.called)
    return owner


def selected():
    owner = Owner(selector=selectors.DefaultSelector())
    owner.ends = socket.socketpair()
    owner.selector.register(owner.ends[0], selectors.EVENT_READ, owner)
    return owner


def scheduled():
    owner = Owner(scheduler=sched.scheduler())
    owner.scheduler.enter(5, 1, owner.called, (owner,))
    return owner


def local_class():
    class Local:
        __slots__ = ("kids", "up")

        def copy(self):
            return Local()

        @functools.lru_cache(None)  # noqa: B019
        def cached(self):
            return super().__repr__

    made = Local()
    made.up, made.kids = made, [Local]
    made.cached()
    return made


def registered():
    class Registered:
        known: typing.ClassVar = []

    Registered.known.append(Registered())
    return Registered.known[0]


def record():
    @dataclasses.dataclass(eq=False)
    class Record:
        parent: object = None
        kids: list = dataclasses.field(default_factory=list)

    made = Record()
    made.kids += [Record(made), Record(made)]
    return made


def described():
    class Field:
        def __init__(self):
            self.values = {}

    class Holder:
        field = Field()

    Holder.field.values[1] = Holder()
    return Holder.field


def states():
    made = Owner(states={})
    for name in "abcd":
        made.states[name] = Owner(machine=made, to={})
    for one in made.states.values():
        one.to.update(made.states)
    return made


def clique():
    made = [Owner() for _ in range(8)]
    for one in made:
        one.peers = set(made)
    return made


def plugins():
    host = Owner(plugins={}, hooks=[], found=collections.ChainMap())
    for name in "ab":
        host.plugins[name] = one = Owner(host=host)
        host.hooks.append(functools.partial(one.called, host))
        host.found[name] = types.SimpleNamespace(one=one)
    return host


def failure():
    owner = Owner(failed=[])
    for number in range(3):
        try:
            raise ValueError(owner)
        except ValueError as error:
            error.number = number
            owner.failed.append(error)
    return owner


PROGRAMS = (
    parser,
    members,
    decoder,
    connection,
    timer,
    selected,
    scheduled,
    local_class,
    registered,
    record,
    described,
    states,
    clique,
    plugins,
    failure,
)


# These may say how to cut, but not to make a weakref.
LIBRARIES = {"argparse", "asyncio", "json", "sched", "selectors", "sqlite3"}


def belonging(thing):
    """Return the addresses of all that the thing refers to, except libraries' own."""
    seen, left = set(), [thing]
    while left:
        one = left.pop()
        library = isinstance(one, type) and one.__module__ != "__main__"
        if library or id(one) in seen or isinstance(one, types.ModuleType):
            continue
        if isinstance(one, dict) and "__loader__" in one:
            continue
        seen.add(id(one))
        left.extend(gc.get_referents(one))
    return seen


def complaint_of(cycle):
    """Return what is wrong with what the answer says of a cycle, or None."""
    members = {node.address for node in cycle.nodes}
    kinds = {node.type_name.rpartition(".")[2] for node in cycle.nodes}
    if kinds <= {"type", "function", "tuple", "getset_descriptor", "dict"}:
        return "a class has a cut" if cycle.cuts else None
    for cut in cycle.cuts:
        library = cut.source.text.partition(".")[0] in LIBRARIES
        if library and "weakref" in cut.reason and "unregister" not in cut.reason:
            return f"advised to a library: {cut}"
    edges = [(e.source.address, e.label, e.target.address) for e in cycle.cut_edges]
    live = real_programs.live_addresses()
    left = real_programs.in_fork(real_programs.is_untied, live, edges, members)
    if left == 1 and not (cycle.left or cycle.more):
        return "a cycle is left"
    return None if cycle.cuts or cycle.left else "nothing is said"


def main():
    """Make all programs, and look at the cycles of each."""
    made = {program.__name__: program() for program in PROGRAMS}
    gc.collect()
    cycles = list(leakgraph.snapshot().cycles(kind="held", min_bytes=0, limit=None))
    wrong = untied = 0
    for name, thing in made.items():
        ours = belonging(thing)
        found = [c for c in cycles if ours & {node.address for node in c.nodes}]
        complaints = [(complaint_of(cycle), cycle) for cycle in found]
        wrong += not found
        untied += sum(bool(cycle.cuts) for cycle in found)
        for complaint, cycle in complaints:
            if complaint:
                wrong += 1
                print(f"{name}: {complaint}\n{cycle}\n{cycle.advice}\n{cycle.cuts}")
    print(f"{not wrong and untied >= len(PROGRAMS)}: {untied} cycles", flush=True)
    os._exit(0)


main()
