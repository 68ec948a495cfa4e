"""Programs whose memory grows in C code, or does not, all in one process.

Arguments: "leaks" or "honest", who looks at them, and the paths of the extension
modules. Names behind a colon choose programs: "leaks:sessions,lost". Prints JSON: what
is told, and for each program what a call leaves by the accounts of the allocators.
"repeat" compares rounds of calls, and "watch" watches them. With "attach", another
process looks: a line of input asks for a round, and an empty one for the account.
"""

import collections
import contextlib
import ctypes
import gc
import importlib.util
import io
import json
import os
import random
import re
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import leakgraph
from leakgraph.watching import Watch

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes = [ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]
libc.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]

ROUNDS, CALLS = 3, 4
#: The longest that a watch takes to tell a leak, or tells nothing.
STEPS = 80


class Program:
    """What each program keeps, by its name."""


program = Program()
#: How many calls each program has had.
calls = collections.Counter()
#: What a call leaves, where letting go of the objects does not free it.
left = {}
modules = {}
leaks, honest = [], []


def leak(make):
    """Register a program that keeps what `make` returns of each call."""

    def work():
        calls[make.__name__] += 1
        kept = make()
        if kept is not None:
            vars(program).setdefault(make.__name__, []).append(kept)

    leaks.append(work)
    work.__name__ = make.__name__
    return make


def clean(work):
    """Register a program that keeps nothing, or no more than before."""
    honest.append(work)
    return work


def filled(size):
    """Allocate a block in C."""
    block = libc.malloc(size)
    libc.memset(block, 66, size)
    return block


def built(module, names):
    """Build structures of an extension module, which never frees them."""
    made = [modules[module].build(name) for name in names]
    return [holder for holder, _, _ in made], sum(bytes for _, bytes, _ in made)


@leak
def sessions():
    import sqlite3

    session = sqlite3.connect(":memory:")
    session.execute("create table lines (text)")
    rows = (("x" * 50,) for _ in range(500))
    session.executemany("insert into lines values (?)", rows)
    return session


@leak
def statements():
    import sqlite3

    if not hasattr(program, "database"):
        program.database = sqlite3.connect(":memory:", cached_statements=100_000)
        program.database.execute("create table lines (a)")
    cursor = program.database.cursor()
    for number in range(50):
        number += 50 * calls["statements"]
        cursor.execute(f"select {number} + a from lines where a > {number}").fetchall()


@leak
def contexts():
    import ssl

    return [ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) for _ in range(4)]


@leak
def handshakes():
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    client = context.wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO())
    with contextlib.suppress(ssl.SSLWantReadError):
        client.do_handshake()
    return client


@leak
def unread():
    import ssl

    buffer = ssl.MemoryBIO()
    buffer.write(b"x" * 40_000)
    return buffer


@leak
def parsers():
    import xml.parsers.expat

    made = [xml.parsers.expat.ParserCreate() for _ in range(8)]
    for parser in made:
        parser.Parse("<a>" + "<b/>" * 20)
    return made


@leak
def deflaters():
    import zlib

    stream = zlib.compressobj(9)
    stream.compress(bytes(range(256)) * 50)
    return stream


@leak
def inflaters():
    import zlib

    stream = zlib.decompressobj()
    stream.decompress(zlib.compress(b"hello" * 10_000), 100)
    return stream


@leak
def archives():
    import bz2

    stream = bz2.BZ2Decompressor()
    stream.decompress(bz2.compress(b"hello" * 10_000, 1)[:-10])
    return stream


@leak
def digests():
    import hashlib

    return [hashlib.sha256(b"x") for _ in range(300)]


@leak
def readers():
    import csv

    reader = csv.reader(["a" * 30_000 + ",b"])
    next(reader)
    return reader


@leak
def buffers():
    return ctypes.create_string_buffer(40_000)


@leak
def handles():
    left["handles"] = 10 * 5_008
    return [filled(5_000) for _ in range(10)]


@leak
def pointers():
    left["pointers"] = 10 * (5_008 + sys.getsizeof(ctypes.c_void_p(1)))
    return [ctypes.c_void_p(filled(5_000)) for _ in range(10)]


@leak
def images():
    from PIL import Image

    return Image.new("RGB", (120, 120))


@leak
def foreign():
    import cffi

    return [cffi.FFI().new("char[]", 20_000) for _ in range(3)]


@leak
def keys():
    from cryptography.hazmat.primitives.asymmetric import ec

    return [ec.generate_private_key(ec.SECP256R1()) for _ in range(20)]


@leak
def maps():
    import rpds

    return rpds.HashTrieMap({f"k{i}": i for i in range(300)})


@leak
def structures():
    made, left["structures"] = built("native_shapes", ("map", "matrix", "objects"))
    return made


@leak
def classes():
    made, left["classes"] = built("native_classes", ("hash_map", "vectors", "classes"))
    return made


@leak
def lost():
    left["lost"] = 1_000 * 608
    for _ in range(1_000):
        filled(600)


@leak
def copies():
    """Lose copies of texts, which are of many sizes."""
    chunks = [112 + 16 * (number % 100) for number in range(400)]
    left["copies"] = sum(chunks)
    for chunk in chunks:
        filled(chunk - 8)


@leak
def trees():
    import lxml.etree

    return lxml.etree.fromstring("<a>" + "<b c='1'>text</b>" * 200 + "</a>")


@leak
def patterns():
    import regex

    text = "(a|b)+c[0-9]{4}"
    return [regex.compile(text + "d" * i, cache_pattern=False) for i in range(20)]


class Message:
    """What an extension module forgets to let go of."""

    def __init__(self):
        self.text = "x" * 5_000


@leak
def forgotten():
    message = Message()
    kept = [message, message.text]
    if sys.version_info < (3, 11):
        kept.append(vars(message))
    left["forgotten"] = 20 * sum(map(sys.getsizeof, kept))
    for _ in range(20):
        modules["native_shapes"].forget(Message())


@leak
def forgotten_bytes():
    left["forgotten_bytes"] = 100 * (sys.getsizeof(b"") + 5_000)
    for number in range(100):
        modules["native_shapes"].forget(bytes([number + 65]) * 5_000)


@clean
def compress():
    import zlib

    zlib.compress(bytes(range(256)) * 500)


@clean
def closed_sessions():
    import sqlite3

    session = sqlite3.connect(":memory:")
    session.execute("create table lines (text)")
    rows = (("x" * 50,) for _ in range(500))
    session.executemany("insert into lines values (?)", rows)
    session.close()


@clean
def bounded_statements():
    """Not with 3.9, whose collector does not know a connection's list of them."""
    import sqlite3

    if sys.version_info < (3, 10):
        return
    if not hasattr(program, "cursor"):
        program.cursor = sqlite3.connect(":memory:", cached_statements=50).cursor()
        program.cursor.execute("create table lines (a)")
    for number in range(60):
        number += 60 * calls["bounded"]
        program.cursor.execute(f"select {number} + a from lines").fetchall()
    calls["bounded"] += 1


@clean
def deleted_rows():
    import sqlite3

    if not hasattr(program, "rows"):
        program.rows = sqlite3.connect(":memory:").cursor()
        program.rows.execute("create table lines (text)")
    rows = (("x" * 50,) for _ in range(2000))
    program.rows.executemany("insert into lines values (?)", rows)
    program.rows.execute("delete from lines")


@clean
def thread_pool():
    def use(_):
        for block in [libc.malloc(1_000) for _ in range(100)]:
            libc.free(block)

    if not hasattr(program, "pool"):
        program.pool = ThreadPoolExecutor(4)
    list(program.pool.map(use, range(20)))


@clean
def last_streams():
    import zlib

    if not hasattr(program, "ring"):
        program.ring = collections.deque(maxlen=4)
    program.ring.append(zlib.compressobj())


@clean
def all_sizes():
    sizes = random.Random(1)
    blocks = [libc.malloc(sizes.randrange(10, 5_000)) for _ in range(300)]
    sizes.shuffle(blocks)
    for block in blocks:
        libc.free(block)


@clean
def closed_contexts():
    import ssl

    ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


@clean
def ended_parsers():
    import xml.parsers.expat

    xml.parsers.expat.ParserCreate().Parse("<a>" + "<b/>" * 20 + "</a>", True)


@clean
def threads_that_end():
    def use():
        for block in [filled(3_000) for _ in range(100)]:
            libc.free(block)

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@clean
def emptied_buffer():
    if not hasattr(program, "text"):
        program.text = io.BytesIO()
    program.text.write(b"x" * 20_000)
    program.text.seek(0)
    program.text.truncate()


class _Mallinfo(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks")),
        *((name, ctypes.c_size_t) for name in ("hblkhd", "usmblks", "fsmblks")),
        *((name, ctypes.c_size_t) for name in ("uordblks", "fordblks", "keepcost")),
    ]


def in_use():
    """Count bytes by the accounts of malloc, and of Python's small blocks."""
    libc.mallinfo2.restype = _Mallinfo
    info = libc.mallinfo2()
    with tempfile.TemporaryFile() as told:
        kept = os.dup(2)
        os.dup2(told.fileno(), 2)
        sys._debugmallocstats()
        os.dup2(kept, 2)
        os.close(kept)
        told.seek(0)
        found = re.search(rb"# bytes in allocated blocks *= *([\d,]+)", told.read())
    small = int(found[1].replace(b",", b"")) if found else 0
    return info.uordblks + info.hblkhd + small


def load(path):
    """Import an extension module from a file."""
    name = Path(path).name.split(".")[0]
    spec = importlib.util.spec_from_file_location(name, path)
    modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(modules[name])


def installed(works):
    """Of the programs, those whose library is installed."""
    found = []
    for work in works:
        with contextlib.suppress(ImportError):
            work()
            found.append(work)
    return found


def freed(names):
    """What a call has left for each program, by letting go of it."""
    found = {}
    for name in names:
        gc.collect()
        before = in_use()
        if name == "statements":
            del program.database
        elif hasattr(program, name):
            delattr(program, name)
        gc.collect()
        found[name] = (before - in_use()) / calls[name]
    return found


def row_of(row):
    """A row of growth, as data."""
    return {
        "holder": row.held_by,
        "type": row.type,
        "rate": row.per_step,
        "minor": row.minor,
        "fix": row.fix,
        "text": row.text,
    }


def repeated(work):
    """What repeat() tells of the work."""
    growth = leakgraph.repeat(work, rounds=ROUNDS, calls=CALLS)
    return {
        "rows": [row_of(row) for row in growth],
        "text": str(growth),
        "needs_native": growth.needs_native,
    }


def watched(work):
    """What a watch tells of the work, by a clock that each step sets."""
    found, now = [], [0.0]

    def clock():
        now[0] += 0.01
        return now[0]

    watch = Watch(
        1.0,
        lambda row, growth: found.append(growth),
        clock=clock,
        work=lambda: 0.0,
        background=False,
    )
    for _ in range(STEPS):
        work()
        now[0] += 1
        watch.step()
        if found:
            break
    rows = [row_of(row) for growth in found[:1] for row in growth]
    return {"rows": rows, "text": watch.report()}


def asked(work):
    """Work when another process says so."""
    print("ready", flush=True)
    while sys.stdin.readline().strip():
        for _ in range(CALLS):
            work()
        print("done", flush=True)
    return {}


HOW = {"repeat": repeated, "watch": watched, "attach": asked}


def chosen():
    """The programs that the first argument chooses."""
    kind, _, names = sys.argv[1].partition(":")
    works = leaks if kind == "leaks" else honest
    return [work for work in works if not names or work.__name__ in names.split(",")]


def main():
    """Print what is told of the programs, and the truth."""
    for path in sys.argv[3:]:
        load(path)
    works = installed(chosen())

    def work():
        for each in works:
            each()

    told = HOW[sys.argv[2]](work)
    truth = {**freed([each.__name__ for each in works if each in leaks]), **left}
    print(json.dumps({**told, "truth": truth}))
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
