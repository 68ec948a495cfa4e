"""A real control group with little memory, and the kernel's killer.

Making one takes root and a memory controller, of either version.
"""

import os
import signal
from pathlib import Path

import pytest
from builds import needs_fork

import leakgraph

LIMIT = 320 << 20
GROUPS = Path("/sys/fs/cgroup")

#: Fills the group up to the alarm's limit, waits for the alarm, and goes on.
HOARD = """
import os, sys, time
folder, limit = sys.argv[1], int(sys.argv[2])
with open(folder + "/cgroup.procs", "w") as members:
    members.write(str(os.getpid()))
import leakgraph
from leakgraph.limits import Memory
memory = Memory()
assert (memory.limit, memory.owner) == (limit, "the control group " + folder)
armed = leakgraph.arm("x.lgs", rss="80%", signal=None, on_oom=False)
class Hoard: pass
hoard = Hoard()
hoard.rows = []
while memory.used() < 0.85 * limit:
    hoard.rows.append(bytearray(b"x") * (1 << 20))
while not armed.snapshots:
    time.sleep(0.01)
print("saved", flush=True)
while True:
    hoard.rows.append(bytearray(b"x") * (1 << 20))
"""


def limit_file():
    """Find where groups are made, and the file that limits one; None: nowhere."""
    if (GROUPS / "memory/memory.limit_in_bytes").exists():
        return GROUPS / "memory", "memory.limit_in_bytes"
    control = GROUPS / "cgroup.subtree_control"
    if control.exists() and "memory" in control.read_text().split():
        return GROUPS, "memory.max"
    return None


@pytest.fixture
def group():
    found = limit_file()
    if found is None or not os.access(found[0], os.W_OK) or os.geteuid() != 0:
        pytest.skip("no control group of memory can be made here")
    folder = found[0] / f"leakgraph-{os.getpid()}"
    folder.mkdir()
    try:
        (folder / found[1]).write_text(str(LIMIT))
        yield folder
    finally:
        folder.rmdir()


@needs_fork
def test_a_snapshot_from_before_the_kill(python, group):
    done = python("-c", HOARD, group, LIMIT)
    assert (done.code, done.out) == (-signal.SIGKILL, "saved\n"), done.err
    top = leakgraph.load(done.folder / "x.lgs").top(1)
    # The snapshot begins while there is room for it.
    assert top[0].retained > LIMIT * 0.4
    assert "__main__.hoard.rows" in str(top)
