"""A buffer in a thread local: each thread of the pool keeps one while it lives.

python examples/leaks/thread_locals.py [fixed]
"""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
scratch = threading.local()
together = threading.Barrier(10)


def work(number):
    """Fill a buffer."""
    scratch.buffer = bytearray(100_000)
    together.wait()
    if fixed:
        del scratch.buffer
    return number


pool = ThreadPoolExecutor(10)
list(pool.map(work, range(10)))

print(leakgraph.findings())
if fixed:
    pool.shutdown()
