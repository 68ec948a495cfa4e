"""Tests what memory() says of pyarrow's pool, for one allocator.

test_pyarrow_tables.py runs this script.
"""

import os
from pathlib import Path

import pyarrow

import leakgraph

MEGABYTE = 1_000_000

if Path("/proc/self/smaps").exists():
    pool = pyarrow.default_memory_pool()
    assert pool.backend_name == os.environ["ARROW_DEFAULT_MEMORY_POOL"]
    many = [pyarrow.array(range(5000)) for _ in range(1000)]
    used = leakgraph.memory().host
    many.clear()
    unused = leakgraph.memory().host
    pool.release_unused()
    released = leakgraph.memory().host
    assert used["pyarrow"] >= 40 * MEGABYTE
    assert used["allocations"] < 40 * MEGABYTE
    assert unused["pool_free"] - used["pool_free"] > 35 * MEGABYTE
    # Arrow's jemalloc keeps what its threads have cached.
    if pool.backend_name == "mimalloc":
        assert unused["pool_free"] - released["pool_free"] > 30 * MEGABYTE
    assert max(host["else"] for host in (used, unused, released)) < 8 * MEGABYTE
print("right")
