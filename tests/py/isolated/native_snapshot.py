"""What a program keeps in native memory: told by a snapshot, and what malloc gets back.

Prints JSON. With the argument `busy`, threads allocate all the time.
"""

import ctypes
import gc
import json
import sqlite3
import sys
import threading
import zlib

import leakgraph

libc = ctypes.CDLL(None)


class Account(ctypes.Structure):
    """struct mallinfo2."""

    _fields_ = [(f"field{i}", ctypes.c_size_t) for i in range(10)]


libc.mallinfo2.restype = Account


def used():
    """The bytes that malloc has given out."""
    account = libc.mallinfo2()
    return account.field7 + account.field4


class Handles:
    """An object of a binding: an array of pointers to what C has allocated."""

    def __init__(self):
        libc.malloc.restype = ctypes.c_void_p
        self.parts = (ctypes.c_void_p * 20)(*(libc.malloc(50_000) for _ in range(20)))
        for part in self.parts:
            ctypes.memset(part, 1, 50_000)

    def __del__(self):
        for part in self.parts:
            libc.free(ctypes.c_void_p(part))


class Program:
    """What the program keeps."""


program = Program()


def make_database():
    """A database in memory."""
    database = sqlite3.connect(":memory:")
    database.execute("create table lines (text, number)")
    lines = ((str(i) * 20, i) for i in range(20000))
    database.executemany("insert into lines values (?, ?)", lines)
    return database


def make_streams():
    """Streams that compress, each with its window."""
    streams = [zlib.compressobj(9) for _ in range(20)]
    for stream in streams:
        stream.compress(bytes(range(256)) * 50)
    return streams


def compress(end):
    """Ask malloc for memory and free it, all the time."""
    data = bytes(100000)
    while not end.is_set():
        zlib.compress(data, 1)


def main():
    """Measure what the snapshot claims against what goes."""
    kinds = {"database": make_database, "streams": make_streams, "handles": Handles}
    for make in kinds.values():
        make()
    for name, make in kinds.items():
        setattr(program, name, make())
    gc.collect()
    end = threading.Event()
    threads = [threading.Thread(target=compress, args=(end,)) for _ in range(3)]
    for thread in threads if "busy" in sys.argv else []:
        thread.start()
    plain = leakgraph.snapshot()
    snapshot = leakgraph.snapshot(native=True)
    end.set()
    result = {}
    for name in kinds:
        node = snapshot.find(getattr(program, name))
        result[name] = {
            "claimed": int(node.retained),
            "shallow": int(plain.find(getattr(program, name)).retained),
        }
    hosts = [each.memory().host for each in (plain, snapshot)]
    result["memory"] = {
        "plain": hosts[0]["native"],
        "plain_python": hosts[0]["python"],
        "native": hosts[1]["native"],
        "python": hosts[1]["python"],
    }
    snapshot.close()
    plain.close()
    for thread in threads:
        if thread.ident:
            thread.join()
    del snapshot, plain, node
    for name in kinds:
        gc.collect()
        before = used()
        delattr(program, name)
        gc.collect()
        result[name]["freed"] = before - used()
    print(json.dumps(result))


if __name__ == "__main__":
    main()
