"""Half-built instances of every type of many libraries, and a sweep over them.

Run alone by test_observer.py: of the types that other tests load, some crash the
interpreter when they are built like this, whoever looks at them.
"""

import os

import leakgraph


def name_of(kind):
    """A class's name, whatever its metaclass does."""
    return type.__dict__["__name__"].__get__(kind)


def types_to_build():
    seen, waiting = set(), [object]
    while waiting:
        kind = waiting.pop()
        if kind in seen or kind is type:
            continue
        seen.add(kind)
        waiting += type.__subclasses__(kind)
    return sorted(seen, key=name_of)


#: sqlite3's of 3.9, which crash CPython when a half-built one is freed; and
#: asyncio's iterator, which 3.12 frees to a list that it shows.
NOT_BUILT = {"sqlite3Node", "FutureIter"}


def half_built():
    made = []
    for kind in types_to_build():
        if name_of(kind) in NOT_BUILT:
            continue
        try:
            made.append(kind.__new__(kind))
        except Exception:
            continue
    return made


#: Modules whose types are half-built and swept.
SWEPT = [
    "argparse",
    "array",
    "ast",
    "asyncio",
    "collections.abc",
    "concurrent.futures",
    "csv",
    "ctypes",
    "datetime",
    "decimal",
    "email.message",
    "functools",
    "hashlib",
    "http.client",
    "http.cookies",
    "inspect",
    "io",
    "itertools",
    "json",
    "logging.handlers",
    "lzma",
    "mmap",
    "multiprocessing.pool",
    "operator",
    "pickle",
    "random",
    "re",
    "select",
    "socket",
    "sqlite3",
    "ssl",
    "statistics",
    "struct",
    "tempfile",
    "threading",
    "tokenize",
    "traceback",
    "typing",
    "unittest",
    "urllib.request",
    "uuid",
    "weakref",
    "xml.etree.ElementTree",
    "xml.sax",
    "zipfile",
    "zlib",
    "zoneinfo",
]


def main():
    for name in SWEPT:
        __import__(name)
    made = half_built()
    with leakgraph.snapshot(previews=True) as snapshot:
        seen = sum(snapshot.find(thing) is not None for thing in made)
        for thing in made[:50]:
            node = snapshot.find(thing)
            if node is not None:
                list(node.referents())
    leakgraph.show_refs(made)
    print(len(made), seen, flush=True)
    os._exit(0)  # their finalizers are no concern of this test


main()
