"""memory() of the host shows what the kernel counts, and no byte twice."""

import json
import platform
import sys
from pathlib import Path

import pytest
from builds import FREE_THREADED, needs

import leakgraph

MIB = 1 << 20

PARTS = [
    "python",
    "arrays",
    "tensors",
    "cpp",
    "native",
    "rounding",
    "allocations",
    "malloc_free",
    "arenas_free",
    "pool_free",
    "files",
    "changed",
    "shmem",
    "jit",
    "stacks",
    "leakgraph",
    "else",
]

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/smaps").exists(), reason="the kernel has no smaps"
)

TELL = """
import json, leakgraph
def resident():
    fields = dict(line.split(":") for line in open("/proc/self/status"))
    return 1024 * int(fields["VmRSS"].split()[0])
def tell():
    before = resident()
    host = leakgraph.memory().host
    print(json.dumps({**host, "before": before}))
"""


def check(host):
    """Check that the lines add up to what the kernel counts, without a gap."""
    parts = sum(host[part] or 0 for part in PARTS)
    assert host["rss"] + host["swap"] == parts - host["absent"]
    assert all(host[part] >= 0 for part in PARTS if host[part] is not None)
    assert host["shared"] <= host["rss"]
    assert abs(host["rss"] - host["before"]) < 8 * MIB


@pytest.fixture
def tell(python):
    """Run code that calls tell(), and return what it reported, checked."""

    def run(code, **environment):
        done = python("-c", TELL + code, **environment)
        assert done.code == 0, done.err
        reported = [json.loads(line) for line in done.out.splitlines()]
        for host in reported:
            check(host)
        return reported

    return run


def test_plain(tell):
    (host,) = tell("tell()")
    assert host["files"] > MIB and host["changed"] > 0
    assert host["jit"] == host["shmem"] == host["mapped"] == 0
    assert host["threads"] == 1 and 3 <= host["descriptors"] < 20
    assert host["descriptors_most"] >= 20
    assert host["absent"] < 4 * MIB and host["else"] < 8 * MIB


@pytest.mark.skipif(FREE_THREADED, reason="it has mimalloc instead of malloc")
def test_what_malloc_keeps(tell):
    """Make blocks between others that stay: malloc cannot return them."""
    before, there, gone = tell(
        """
blocks = [bytearray(40_000) for _ in range(1000)]
del blocks[:]
tell()
blocks = [bytearray(40_000) for _ in range(1000)]
tell()
del blocks[:-1]
tell()
""",
        MALLOC_MMAP_THRESHOLD_="1000000",
        MALLOC_TRIM_THRESHOLD_="1000000000",
    )
    assert there["arrays"] > 38 * MIB
    if there["malloc"] is None:
        return
    assert there["malloc"] - before["malloc"] > 38 * MIB
    assert gone["malloc_free"] - there["malloc_free"] > 30 * MIB
    assert gone["arrays"] < MIB


@pytest.mark.skipif(FREE_THREADED, reason="it has mimalloc instead of pymalloc")
def test_what_arenas_keep(tell):
    """One small object in each page of many pages keeps the arenas."""
    before, there, gone = tell(
        """
tell()
many = [(number, ) for number in range(600_000)]
tell()
many = [each for number, each in enumerate(many) if number % 100 == 0]
tell()
"""
    )
    assert there["python"] - before["python"] > 24 * MIB
    assert gone["arenas_free"] - there["arenas_free"] > 20 * MIB


def test_threads(tell):
    running, over = tell(
        """
import threading
lock = threading.Lock()
lock.acquire()
def wait(depth):
    if depth:
        return wait(depth - 1)
    ready.release()
    lock.acquire()
    lock.release()
ready = threading.Semaphore(0)
threads = [threading.Thread(target=wait, args=(20,)) for _ in range(200)]
for each in threads:
    each.start()
for each in threads:
    ready.acquire()
tell()
lock.release()
for each in threads:
    each.join()
while "Threads:\\t1\\n" not in open("/proc/self/status").read():
    pass
tell()
"""
    )
    assert running["threads"] == 201 and over["threads"] == 1
    assert 200 * 8192 <= running["stacks"] < 200 * MIB
    assert over["stacks"] < MIB < running["stacks"]


@pytest.mark.skipif(FREE_THREADED, reason="the list of threads may change")
def test_thread_in_c(tell):
    """Its stack is known, although the kernel only says that it runs."""
    here, inside = tell(
        """
import hashlib, threading
tell()
def deep(depth):
    if depth:
        return max([depth], key=lambda _: deep(depth - 1) or 0)
    ready.release()
    hashlib.pbkdf2_hmac("sha256", b"password", b"salt", 1 << 28)
ready = threading.Semaphore(0)
threading.Thread(target=deep, args=(150,), daemon=True).start()
ready.acquire()
tell()
"""
    )
    assert inside["threads"] == here["threads"] + 1
    assert inside["stacks"] - here["stacks"] > 32 << 10


def test_mapped_file(tell):
    before, whole, changed = tell(
        """
import mmap
with open("big.bin", "wb") as file:
    file.write(bytes(range(256)) * 131072)
tell()
with open("big.bin", "rb") as file:
    view = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
sum(view[::4096])
tell()
view[:16 << 20] = b"x" * (16 << 20)
tell()
"""
    )
    assert whole["mapped"] == 32 * MIB
    assert whole["files"] + whole["shmem"] - before["files"] - before["shmem"] > (
        31 * MIB
    )
    assert changed["changed"] - whole["changed"] > 15 * MIB


def glibc():
    """Return the version of glibc as a tuple; (0, 0): another C library."""
    name, version = platform.libc_ver()
    return tuple(map(int, version.split("."))) if name == "glibc" else (0, 0)


@pytest.mark.skipif(FREE_THREADED, reason="the list of threads may change")
@pytest.mark.skipif(
    glibc() < (2, 33), reason="malloc does not say what is in use before glibc 2.33"
)
def test_freed_blocks_that_malloc_keeps_for_threads_are_free(tell):
    """Fill the caches of eight threads, and do not count a thread that ended."""
    before, full, over = tell(
        """
import ctypes, os, threading
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]
together = threading.Barrier(9)
def use_and_free():
    together.wait()
    together.wait()
    for size in range(24, 1033, 16):
        for block in [libc.malloc(size) for _ in range(7)]:
            libc.free(block)
    together.wait()
    together.wait()
threads = [threading.Thread(target=use_and_free) for _ in range(8)]
for each in threads:
    each.start()
together.wait()
tell()
together.wait()
together.wait()
tell()
together.wait()
for each in threads:
    each.join()
while len(os.listdir("/proc/self/task")) > 1:
    pass
tell()
"""
    )
    cached = 8 * 7 * sum(range(32, 1041, 16))
    assert abs(full["malloc"] - before["malloc"]) < cached / 16
    assert full["malloc_free"] - before["malloc_free"] > cached / 4
    assert abs(over["malloc"] - before["malloc"]) < cached / 16


@pytest.mark.parametrize("name", ["jemalloc", "tcmalloc"])
def test_another_malloc_tells_its_own_account(tell, preload, name):
    code = """
import ctypes
library = ctypes.CDLL(None)
library.malloc.restype = ctypes.c_void_p
ctypes.memset(library.malloc(100 << 20), 1, 100 << 20)
tell()
"""
    (host,) = tell(code, LD_PRELOAD=preload(name))
    assert (host["malloc"], host["malloc_free"]) == (48 * MIB, 16 * MIB)


@pytest.mark.skipif(
    sys.version_info < (3, 9) or not Path("/dev/shm").is_dir(),
    reason="the system has no /dev/shm",
)
def test_shared_memory(tell):
    before, there, gone = tell(
        """
from multiprocessing import resource_tracker, shared_memory
tell()
segment = shared_memory.SharedMemory(create=True, size=16 << 20)
segment.buf[:] = b"x" * (16 << 20)
tell()
segment.close()
segment.unlink()
tell()
"""
    )
    assert before["segments"] == gone["segments"] == 0
    assert there["segments"] == 1
    assert there["shmem"] - before["shmem"] == 16 * MIB
    assert gone["shmem"] == before["shmem"]
    assert there["mapped"] == 16 * MIB


@pytest.mark.skipif(
    not Path("/proc/self/task").is_dir() or not Path("/dev/shm").is_dir(),
    reason="the system has no /proc, or no /dev/shm",
)
def test_shared_memory_that_waits_in_children(tell):
    """A DataLoader's worker has it so: open, without a name, and not mapped here."""
    before, there, both, gone = tell(
        """
import os
tell()
ready, done = os.pipe(), os.pipe()
name = "/dev/shm/leakgraph_test_%d" % os.getpid()
child = os.fork()
if child == 0:
    file = os.open(name, os.O_RDWR | os.O_CREAT)
    os.unlink(name)
    os.write(file, b"x" * (4 << 20))
    os.write(ready[1], b"1")
    os.read(done[0], 1)
    os._exit(0)
os.read(ready[0], 1)
tell()
links = ["/proc/%d/fd/%s" % (child, n) for n in os.listdir("/proc/%d/fd" % child)]
segment = next(link for link in links if name in os.readlink(link))
opened = os.open(segment, os.O_RDONLY)
tell()
os.close(opened)
os.write(done[1], b"1")
os.waitpid(child, 0)
tell()
"""
    )
    if before["children"] is None:
        pytest.skip("the kernel does not list children")
    assert [reported["children"] for reported in (before, there, both, gone)] == [
        0,
        1,
        1,
        0,
    ]
    assert there["children_shmem"] == 4 * MIB
    assert not before["children_shmem"]
    assert not both["children_shmem"]
    assert not gone["children_shmem"]


def test_shared_memory_without_a_name(tell):
    """It counts once, as shared memory."""
    before, there = tell(
        """
import mmap
tell()
shared = mmap.mmap(-1, 16 << 20)
shared.write(bytes(16 << 20))
tell()
"""
    )
    assert there["shmem"] - before["shmem"] == 16 * MIB
    assert there["mapped"] - before["mapped"] == 16 * MIB
    assert there["arrays"] - before["arrays"] < MIB
    assert not there["absent"]


def test_code_of_jits(tell):
    before, there = tell(
        """
import mmap
tell()
access = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
code = mmap.mmap(-1, 4 << 20, flags=flags, prot=access)
code.write(bytes([0xc3]) * (4 << 20))
tell()
"""
    )
    assert there["jit"] - before["jit"] == 4 * MIB


def test_what_is_shared(tell):
    """A forked child has the pages of its parent."""
    before, there = tell(
        """
import os
heap = bytearray(b"x") * (24 << 20)
tell()
ends = os.pipe()
child = os.fork()
if child == 0:
    os.read(ends[0], 1)
    os._exit(0)
tell()
os.write(ends[1], b"x")
os.waitpid(child, 0)
"""
    )
    assert there["shared"] - before["shared"] > 20 * MIB
    assert there["descriptors"] - before["descriptors"] == 2


@needs("torch")
@pytest.mark.libraries
def test_numpy_and_torch(tell):
    (host,) = tell(
        """
import numpy, torch
array = numpy.ones(4 << 20)
made = torch.ones(4 << 20) @ torch.ones(4 << 20)
weights = torch.ones(4 << 20)
tell()
"""
    )
    assert host["arrays"] > 31 * MIB and host["tensors"] > 15 * MIB
    assert host["files"] > 30 * MIB and host["changed"] > MIB
    assert host["else"] < host["rss"] / 4 and host["absent"] < host["rss"] / 4


def test_text_and_files_say_the_same(tmp_path):
    with leakgraph.snapshot() as snapshot:
        snapshot.save(tmp_path / "heap.lgs")
        live = snapshot.memory()
    with leakgraph.load(tmp_path / "heap.lgs") as loaded:
        saved = loaded.memory()
    assert saved.host == live.host == json.loads(saved.json)["host"]
    assert str(saved) == str(live)
    for name in ("resident", "files", "open descriptors"):
        assert f"  {name} " in str(saved)


def test_what_tracemalloc_has_is_recorded(python):
    source = """
import leakgraph, tracemalloc
def traced():
    return int(dict(leakgraph.snapshot().info()).get("memory.tracemalloc", 0))
before = traced()
tracemalloc.start()
kept = [bytes(100) for _ in range(5000)]
after = traced()
now = tracemalloc.get_tracemalloc_memory()
assert before + 100 * 1024 < after <= now, (before, after, now)
"""
    done = python("-c", source)
    assert done.code == 0, done.err
