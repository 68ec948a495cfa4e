"""Threads of executors: one executor for each call is a mistake, and a pool is none."""

import json
import re

import pytest

pytestmark = pytest.mark.ends

SCRIPT = """
import gc, json, sys, threading
from concurrent.futures import ThreadPoolExecutor
import leakgraph

release, started, kept = threading.Event(), threading.Semaphore(0), []

class Searcher:
    def wait(self):
        scratch = bytearray(20_000)
        started.release()
        release.wait()
        return len(scratch)

    def search(self, workers):
        pool = ThreadPoolExecutor(max_workers=workers)
        for _ in range(workers):
            pool.submit(self.wait)
        return pool

searcher = Searcher()
calls, workers, fate = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
gc.disable()
for _ in range(calls):
    pool = searcher.search(workers)
    if fate == "kept":
        kept.append(pool)
    elif fate == "garbage":
        pool.itself = pool
    del pool
for _ in range(calls * workers):
    started.acquire()
if fate != "garbage":
    gc.collect()
rows = [(f.pattern, f.count, f.retained.host, f.fix, f.evidence)
        for f in leakgraph.findings()]
release.set()
gc.collect()
for thread in threading.enumerate()[1:]:
    if fate != "kept":
        thread.join()
print(json.dumps([rows, len(leakgraph.findings())]))
"""


def test_an_executor_for_each_call(python):
    (row,), left = json.loads(python("-c", SCRIPT, "16", "1", "dropped").out)
    pattern, count, retained, fix, evidence = row
    assert (pattern, count, left) == ("endless-threads", 16, 0)
    assert retained > 16 * 20_000
    assert "Make one executor and share it" in fix
    # Code has no qualified name before 3.11.
    assert re.match(r"An example waits in (Searcher\.)?wait\(\) ", evidence)


ENDLESS = """
import leakgraph, sys, threading

class Closed:
    def close(self): pass

class Exporter(Closed):
    def beat(self): threading.Event().wait()

class Writer(threading.Thread):
    def stop(self): pass
    def run(self): threading.Event().wait()

class Endless(threading.Thread):
    def run(self): threading.Event().wait()

def wait():
    threading.Event().wait()

def start(thread):
    thread.daemon = True
    thread.start()

for _ in range(16):
    start(eval(sys.argv[1]))
print(*(finding.evidence for finding in leakgraph.findings()))
"""


@pytest.mark.parametrize(
    ("thread", "said"),
    [
        ("threading.Thread(target=Exporter().beat)", " Exporter has close().\n"),
        ("Writer()", " Writer has stop().\n"),
        ("Endless()", ""),
        ("threading.Thread(target=wait)", ""),
    ],
    ids=["base", "thread", "no method", "function"],
)
def test_what_would_end_threads_is_named(python, thread, said):
    evidence = python("-c", ENDLESS, thread).out
    assert evidence.startswith("An example waits in ")
    assert " has " not in evidence if not said else evidence.endswith(said)


@pytest.mark.parametrize(
    ("calls", "workers", "fate"),
    [(9, 2, "kept"), (9, 2, "garbage"), (2, 10, "dropped"), (7, 3, "dropped")],
    ids=["pools of the program", "pools in cycles", "two executors", "seven executors"],
)
def test_pools_at_work(python, calls, workers, fate):
    """Threads of an executor in a cycle end when the collector has freed that."""
    done = python("-c", SCRIPT, str(calls), str(workers), fate)
    assert json.loads(done.out) == [[], 0]
