"""Attaches many times to a busy process and compares it with a twin that is left alone.

The twins compute the same: threads that allocate, import, compress, hash, sort and call
C code, each a chain of steps that depends on all steps before. Both do the same number
of steps. The attaches did harm if the results of the twins differ, or if one ends with
another file, thread, handler or module.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from leakgraph import attached

BUSY = """
import array, ctypes, gc, hashlib, importlib, json, os, random, select, signal, sqlite3
import struct, sys, threading, time, zlib
signal.signal(signal.SIGUSR1, lambda *_: stop.set())
stop, results, counts = threading.Event(), {}, {}
libc = ctypes.CDLL(None, use_errno=True)
base = sqlite3.connect(':memory:', check_same_thread=False)
base.execute('create table t (x)')
class Item:
    def __init__(self, x): self.x, self.me = x, self
def allocate(seed, i):
    return hash(tuple(Item((seed + j) % 977).x for j in range(200)))
def load(seed, i):
    name = ('colorsys', 'this', 'antigravity', 'sndhdr', 'tabnanny')[0]
    sys.modules.pop(name, None)
    return len(vars(importlib.import_module(name)))
def c_code(seed, i):
    data = struct.pack('q', seed % 2**60) * 500
    return zlib.crc32(zlib.decompress(zlib.compress(data))) ^ int(
        hashlib.sha256(data).hexdigest()[:8], 16)
def floats(seed, i):
    values = array.array('d', [(seed + j) % 1009 / 7 for j in range(500)])
    return hash(sum(x * x for x in values))
def waits(seed, i):
    asked = libc.poll(None, 0, 1)
    return hash((asked, ctypes.get_errno(), len(select.select([], [], [], 0.0005))))
def tables(seed, i):
    base.execute('insert into t values (?)', (seed % 1000,))
    return base.execute('select sum(x), count(*) from t').fetchone()[0] % 2**31
WORK = dict(allocate=allocate, load=load, c_code=c_code, floats=floats, waits=waits,
            tables=tables)
def run(name, limit):
    seed = 1
    for i in range(limit):
        seed = hash((seed, WORK[name](seed, i))) % 2**61
    results[name] = seed
limits = json.loads(sys.argv[1])
threads = [threading.Thread(target=run, args=pair) for pair in limits.items()]
def state():
    # join() returns before the system has ended the thread.
    for _ in range(500):
        if len(os.listdir('/proc/self/task')) > threading.active_count():
            time.sleep(0.01)
    return dict(fds=len(os.listdir('/proc/self/fd')), threads=threading.active_count(),
                native=len(os.listdir('/proc/self/task')), modules=sorted(sys.modules),
                handlers=[str(signal.getsignal(n)).split(' at ')[0]
                          for n in range(1, 32)],
                path=sys.path, gc=gc.callbacks, hooks=len(sys.meta_path))
load(1, 1)
for thread in threads: thread.start()
print('ready', flush=True)
main = 1
for i in range(limits['floats']):
    main = hash((main, floats(main, i))) % 2**61
for thread in threads: thread.join()
results['main'] = main
print(json.dumps(dict(results=results, state=state())), flush=True)
"""
STEPS = {
    "allocate": 40_000,
    "load": 12_000,
    "c_code": 40_000,
    "floats": 40_000,
    "waits": 30_000,
    "tables": 3_000,
}


def start(python: str, share: float) -> subprocess.Popen[str]:
    """Start a twin that does this share of the steps."""
    steps = json.dumps({name: int(count * share) for name, count in STEPS.items()})
    process = subprocess.Popen(
        [python, "-c", BUSY, steps],
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONHASHSEED": "0"},
    )
    assert process.stdout is not None
    process.stdout.readline()
    return process


def outcome(process: subprocess.Popen[str]) -> dict[str, object]:
    """Return what the twin says when it is done."""
    text, _ = process.communicate()
    return dict(json.loads(text)) if process.returncode == 0 else {"died": text}


def attach_while(
    process: subprocess.Popen[str], times: int, folder: Path
) -> tuple[list[float], list[float]]:
    """Attach until it is done, at most so often; return pauses and times in ms."""
    pauses: list[float] = []
    whole: list[float] = []
    while len(pauses) < times and process.poll() is None:
        began = time.monotonic()
        path = folder / "soak.lgs"
        pause = attached.take(process.pid, path).pause
        pauses.append(1000 * pause)
        whole.append(1000 * (time.monotonic() - began))
    return pauses, whole


def main() -> int:
    """Run the twins; return 1 if they differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--share", type=float, default=1.0, help="of the steps")
    parser.add_argument("python", nargs="*", default=[sys.executable])
    options = parser.parse_args()
    failed = False
    for python in options.python:
        twin = start(python, options.share)
        alone = outcome(twin)
        watched = start(python, options.share)
        with tempfile.TemporaryDirectory() as folder:
            pauses, whole = attach_while(watched, options.times, Path(folder))
        seen = outcome(watched)
        same = seen == alone and "died" not in alone
        failed |= not same or len(pauses) < options.times
        print(
            f"{python}: {len(pauses)} attaches, results and state"
            f" {'the same' if same else 'DIFFER'}; the GIL was held for"
            f" {statistics.median(pauses):.1f} ms (most {max(pauses):.1f}), a snapshot"
            f" took {statistics.median(whole):.0f} ms (most {max(whole):.0f})",
            flush=True,
        )
        if not same:
            print(alone, seen, sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
