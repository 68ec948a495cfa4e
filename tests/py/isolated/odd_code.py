"""Captures caches whose methods have code that no compiler makes.

Prints whether there are many, and whether the snapshot has all. They are never called,
and the process ends at once: nobody frees code that is nested deeply.
"""

import dis
import os
import random
import sys
import time
import types

import leakgraph

RANDOM = random.Random(20)
#: The instructions that compilers emit.
OPCODES = [
    opcode
    for name, opcode in dis.opmap.items()
    if opcode < 256 and not name.startswith(("INSTRUMENTED", "ENTER_EXECUTOR"))
]
#: CPython itself writes behind code whose last instruction has a cache.
END = 16 * bytes([dis.opmap["NOP"], 0])
#: From 3.13 on, CPython itself takes the first constant for a docstring by this flag.
HAS_DOCSTRING = 0x4000000
KEPT = []
POOL = []


class Cache:
    """Lets entries expire, bounds others, and hands some out."""

    def __init__(self):
        self.entries, self.fresh, self.seconds, self.most = {}, [], 300, 50

    def put(self, number):
        """Add an entry, and remove what is old."""
        now = time.monotonic()
        self.entries[number] = (now + self.seconds, number)
        for key in [key for key, (end, _) in self.entries.items() if end < now]:
            del self.entries[key]
        self.stale = [entry for entry in self.fresh if entry[0] < now]
        self.fresh = [entry for entry in self.fresh if entry[0] > now]

    def take(self, entry, *, most=40):
        """Add an entry while there is room."""
        global POOL
        if len(self.fresh) < self.most:
            self.fresh.append(entry)
        if len(POOL) > most:
            POOL = POOL[1:]

    def give(self):
        """Hand out what is kept."""
        POOL.append(self.fresh)
        return self.fresh


def keep(code):
    """Make the code that of a method of a class whose namespace has an odd key, too."""
    code = code.replace(co_flags=code.co_flags & ~HAS_DOCSTRING)
    method = types.FunctionType(code, globals())
    names = {7: method, "entries": {}, "put": method, "give": Cache.give}
    KEPT.append(type("Odd", (Cache,), names)())


def shortened(code):
    """Yield the code with fewer names, constants and variables."""
    for count in range(len(code.co_names)):
        yield code.replace(co_names=code.co_names[:count])
    for count in range(len(code.co_consts)):
        yield code.replace(co_consts=code.co_consts[:count])
    arguments = code.co_argcount + code.co_kwonlyargcount
    for count in range(arguments, code.co_nlocals):
        names = code.co_varnames[:count]
        yield code.replace(co_varnames=names, co_nlocals=count)
    if sys.version_info < (3, 11):
        yield code.replace(co_nlocals=5000)


def any_byte(at):
    """Return an instruction or an argument: CPython itself trips over some others."""
    return RANDOM.choice(OPCODES) if at % 2 == 0 else RANDOM.randrange(256)


def changed(code, count):
    """Yield the code with a few of its bytes changed, or with any bytes at all."""
    length = len(code.co_code)
    for _ in range(count):
        data = bytearray(code.co_code)
        for _ in range(RANDOM.randrange(1, 9)):
            at = RANDOM.randrange(length)
            data[at] = any_byte(at)
        yield code.replace(co_code=bytes(data) + END)
        data = map(any_byte, range(2 * RANDOM.randrange(length)))
        yield code.replace(co_code=bytes(data) + END)


def nested(levels, loads):
    """Make code in whose constants comprehensions are nested so deep."""
    load = bytes([dis.opmap["LOAD_CONST"], 0, dis.opmap["POP_TOP"], 0])
    code = Cache.give.__code__.replace(co_name="<listcomp>", co_consts=())
    for _ in range(levels):
        code = code.replace(co_code=load * loads, co_consts=(code,))
    put = Cache.put.__code__
    own = len(put.co_consts)
    begin = bytes([dis.opmap["LOAD_CONST"], own, dis.opmap["POP_TOP"], 0])
    return put.replace(
        co_code=begin * loads + put.co_code, co_consts=(*put.co_consts, code)
    )


def make_all():
    """Make the caches, and return how many."""
    for method in (Cache.put, Cache.take, Cache.give):
        code = method.__code__
        for odd in (*shortened(code), *changed(code, 350)):
            keep(odd)
    keep(Cache.give.__code__.replace(co_code=b"", co_consts=([],)))
    keep(nested(20_000, 1))
    keep(nested(50, 200))
    return len(KEPT)


made = make_all()
snapshot = leakgraph.snapshot()
print(made >= 2000, sum(cache in snapshot for cache in KEPT) == made, flush=True)
os._exit(0)
