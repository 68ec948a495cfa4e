"""Lists the blocks of known heaps, each in a forked child, and prints JSON.

The arguments say how to damage heaps that are then listed, too.
"""

import bisect
import ctypes
import json
import os
import re
import struct
import sys
import tempfile
import threading

from leakgraph import _core

libc = ctypes.CDLL(None)
libc.malloc.restype = libc.memalign.restype = ctypes.c_void_p
libc.malloc.argtypes = [ctypes.c_size_t]
libc.memalign.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
libc.free.argtypes = libc.malloc_usable_size.argtypes = [ctypes.c_void_p]
libc.malloc_usable_size.restype = ctypes.c_size_t
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [
    ctypes.c_void_p,
    ctypes.c_size_t,
    *[ctypes.c_int] * 3,
    ctypes.c_long,
]

MALLOC, MAPPED, PYTHON = 0, 1, 2
HEAP = 64 << 20  # to which those of arenas are aligned
PRIVATE_ANONYMOUS = 0x22
kept = []


class Account(ctypes.Structure):
    """struct mallinfo2."""

    _fields_ = [(f"_{i}", ctypes.c_size_t) for i in range(10)]


def word(address, value=None):
    """Read or write a word."""
    at = ctypes.c_uint64.from_address(address)
    if value is not None:
        at.value = value
    return at.value


def listed():
    """List the blocks: {address: (bytes, kind)}, the account, the failure."""
    blocks, _, account, failure = _core._native_blocks()
    found = {
        address: (size, kind)
        for address, size, kind in struct.iter_unpack("3Q", blocks)
    }
    return found, struct.unpack("8Q", account), failure


def size_of(address):
    """What malloc says that the program may use."""
    return libc.malloc_usable_size(address)


def arena_of(address):
    """The arena of a block that is no large one, by its heap; 0: the main one."""
    is_other = word(address - 8) & 4
    return word(address & -HEAP) if is_other else 0


def sizes():
    """Blocks of many sizes, small to mapped, aligned or not."""
    made = [libc.malloc(n) for n in (1, 24, 25, 88, 1032, 1033, 70000, 300000, 5 << 20)]
    for align, n in ((64, 100), (64, 1 << 20), (4096, 1 << 20), (1 << 21, 3 << 20)):
        made.append(libc.memalign(align, n))
    want = {at: size_of(at) for at in made}
    found, _, failure = listed()
    wrong = [(n, found.get(at)) for at, n in want.items() if found.get(at, [0])[0] != n]
    mapped = sum(found[at][1] == MAPPED for at in made)
    return {"failure": failure, "wrong": wrong, "mapped": mapped}


def freed():
    """Freed blocks in the thread's cache, in fast bins, and in other bins."""
    made = [libc.malloc(n) for n in (24, 104, 1000, 3000) for _ in range(20)]
    between = [libc.malloc(40) for _ in range(20)]
    for at in made:
        libc.free(at)
    found, account, failure = listed()
    return {
        "failure": failure,
        "listed": sum(at in found for at in made),
        "kept": sum(at in found for at in between),
        "cached": account[1] >= 7 * 32 + 13 * 32,
    }


def threads():
    """Arenas of threads, one with more than a heap; and what threads cache."""
    begun, end = threading.Barrier(4), threading.Event()
    made, gone = [], []

    def work(number):
        count, size = (800, 100000) if number == 0 else (50, 300)
        mine = [libc.malloc(size) for _ in range(count)]
        freed_here = [libc.malloc(64) for _ in range(7)]
        for at in freed_here:
            libc.free(at)
        made.extend(mine)
        gone.extend(freed_here)
        begun.wait()
        end.wait()

    for i in range(3):
        threading.Thread(target=work, args=(i,), daemon=True).start()
    begun.wait()

    def look():
        found, account, failure = listed()
        return {
            "failure": failure,
            "made": len(made),
            "listed": sum(found.get(at, [0])[0] == size_of(at) for at in made),
            "gone": sum(at in found for at in gone),
            "arenas": account[6],
            "own": len({arena_of(at) for at in made if at in found} - {0}),
        }

    return look


def account():
    """The sum of all blocks, and malloc's own account."""
    kept.extend(libc.malloc(16 * n % 5000) for n in range(3000))
    for at in kept[::3]:
        libc.free(at)
    libc.mallinfo2.restype = Account
    told = libc.mallinfo2()
    found, sums, failure = listed()
    in_use = sum(size + 8 for size, kind in found.values() if kind != PYTHON)
    return {
        "failure": failure,
        "in_use": sums[0],
        "cached": sums[1],
        "sum": in_use,
        "told": told._7 + told._4,
        "arena_bytes": sums[3],
    }


def allocated_bytes():
    """What pymalloc says of its blocks; 0 if it is not in use."""
    with tempfile.TemporaryFile() as file:
        before = os.dup(2)
        os.dup2(file.fileno(), 2)
        sys._debugmallocstats()
        os.dup2(before, 2)
        file.seek(0)
        text = file.read().decode()
    match = re.search(r"# bytes in allocated blocks *= *([0-9,]+)", text)
    return int(match[1].replace(",", "")) if match else 0


def pools():
    """Small objects: those in use are listed, and those that are gone are not."""
    made = [bytes(60 + i % 300) for i in range(5000)]
    gone = [id(one) for one in made[::2]]
    del made[::2]
    allocated_bytes()  # fills the caches of what it calls
    told = allocated_bytes()
    found, _, failure = listed()
    assert failure is None, failure
    starts = sorted(found)

    def has(address):
        at = starts[bisect.bisect_right(starts, address) - 1]
        return at <= address < at + found[at][0]

    return {
        "in_use": sum(has(id(one)) for one in made),
        "gone": sum(has(at) for at in gone),
        "bytes": sum(size for size, kind in found.values() if kind == PYTHON),
        "told": told,
    }


def damage(what):
    """Damage a heap; the list must say so, or be as before, and nothing may crash."""
    blocks = [libc.malloc(200) for _ in range(10)]
    spare = [libc.malloc(24) for _ in range(30)]
    for at in spare:
        libc.free(at)
    if what == "size":
        word(blocks[3] - 8, 0x1234567890)
    elif what == "odd":
        word(blocks[3] - 8, 0xD9)
    elif what == "zero":
        word(blocks[3] - 8, 1)
    elif what == "flag":
        word(blocks[4] - 8, word(blocks[4] - 8) & ~1)
        word(blocks[4] - 16, 0)  # A block that is or was free has its size here.
    elif what == "cache":
        word(spare[3], 0xDEADBEEF)
    _, _, failure = listed()
    return {"failure": failure}


def lookalike():
    """Private memory that looks like mapped blocks at the start of each page."""
    start = libc.mmap(None, 1 << 20, 3, PRIVATE_ANONYMOUS, -1, 0)
    for page in range(start, start + (1 << 20), 8192):
        word(page + 8, 0x1002)
        word(page + 4096 + 8, 0xFF2)  # from glibc 2.43 on
    _, _, failure = listed()
    return {"failure": failure}


def in_child(work):
    """Run a function in a forked child and return what it returns."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(writer, json.dumps(work()).encode())
        os._exit(0)
    os.close(writer)
    with open(reader, "rb") as pipe:
        text = pipe.read()
    assert os.waitpid(pid, 0)[1] == 0, work
    return json.loads(text)


def main():
    """Print the results of all cases."""
    results = {}
    for case in (sizes, freed, account, pools, lookalike):
        results[case.__name__] = in_child(case)
    for what in sys.argv[1:]:
        results[what] = in_child(lambda what=what: damage(what))
    results["threads"] = in_child(threads())
    print(json.dumps(results), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
