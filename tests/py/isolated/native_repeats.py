"""What grows in native memory: repeat() of some kinds of work. Prints JSON."""

import ctypes
import itertools
import json
import zlib

import leakgraph

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]


class Program:
    """What the program keeps."""

    def __init__(self):
        self.streams = []
        self.handles = []


program = Program()


def keep():
    """Keep a stream and its window of 256 KiB."""
    stream = zlib.compressobj(9)
    stream.compress(bytes(range(256)) * 50)
    program.streams.append(stream)


def lose():
    """Lose blocks that C code has allocated."""
    for _ in range(500):
        libc.memset(libc.malloc(600), 65, 600)


numbers = itertools.count()
forget = ctypes.pythonapi.Py_IncRef
forget.argtypes = [ctypes.py_object]


def lose_objects():
    """Take references to texts, as an extension does that forgets them."""
    for _ in range(500):
        forget(f"row {next(numbers)} " + "x" * 200)


def lose_little():
    """Lose less than any allocator is exact about."""
    for _ in range(40):
        libc.memset(libc.malloc(100), 65, 100)


class Handle:
    """What its C code allocates for it is lost."""


def lose_by_handle():
    """Keep a handle, and lose blocks for it."""
    program.handles.append(Handle())
    lose()


def let_go():
    """Keep nothing."""
    zlib.compress(bytes(range(256)) * 500)


def told(work, **options):
    """What repeat() tells of the work."""
    growth = leakgraph.repeat(work, rounds=3, calls=4, **options)
    return {
        "text": str(growth),
        "needs_native": growth.needs_native,
        "unexplained": growth.unexplained_malloc,
        "rows": [
            [row.held_by, row.type, row.per_step, row.fix, list(row.counts)]
            for row in growth
            if not row.minor
        ],
        "holders": [len(row.holders) for row in growth if not row.minor],
    }


print(
    json.dumps(
        {
            "kept": told(keep),
            "plain": told(keep, native=False),
            "lost": told(lose),
            "by handle": told(lose_by_handle),
            "lost objects": told(lose_objects),
            "let go": told(let_go),
            "little": told(lose_little, native=True),
        }
    )
)
