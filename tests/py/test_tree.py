"""tree() shows a process and its children, what they copied and what they share."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import leakgraph
from leakgraph import family

pytestmark = pytest.mark.ends

if sys.maxsize < 2**32 or os.uname().machine != "x86_64":
    pytest.skip("attach knows x86-64 only", allow_module_level=True)

#: Two forks of one process, of which the first touches what both share, and a `sleep`.
PARENT = """
import gc, os, subprocess, sys, time
from multiprocessing import shared_memory

class Dataset:
    def __init__(self):
        self.items = [f"sample {number}" for number in range(200_000)]

dataset = Dataset()
segment = shared_memory.SharedMemory(create=True, size=1 << 20)
other = subprocess.Popen(["sleep", "1000"])
gc.disable()
ready, done = os.pipe()
pids = []
for touches in (True, False):
    pid = os.fork()
    if pid == 0:
        kept = []
        if touches:
            kept.append(list(dataset.items))
        os.write(done, b"x")
        while True:
            time.sleep(100)
    pids.append(pid)
    os.read(ready, 1)
print(*pids, other.pid, flush=True)
sys.stdin.read()
for pid in [*pids, other.pid]:
    os.kill(pid, 9)
segment.close()
segment.unlink()
"""


#: A fork that holds next to nothing.
SMALL = """
import os, sys, time
pid = os.fork()
if pid == 0:
    while True:
        time.sleep(100)
print(pid, 0, 0, flush=True)
sys.stdin.read()
os.kill(pid, 9)
"""

#: A rank whose worker has a worker.
NESTED = """
import os, sys, time
read, write = os.pipe()
worker = os.fork()
if worker == 0:
    inner = os.fork()
    if inner > 0:
        os.write(write, str(inner).encode())
    while True:
        time.sleep(100)
inner = int(os.read(read, 20))
print(worker, inner, 0, flush=True)
sys.stdin.read()
os.kill(inner, 9)
os.kill(worker, 9)
"""


class Target:
    """Run a parent."""

    def __init__(self, source=PARENT, **environment):
        self.process = subprocess.Popen(
            [sys.executable, "-c", source],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment},
        )
        self.pid = self.process.pid
        *self.forks, self.sleep = map(int, self.process.stdout.readline().split())
        self.toucher, self.other = self.forks

    def end(self):
        self.process.communicate()


@pytest.fixture(scope="module")
def target():
    """Start the processes for all tests, which only look at them."""
    one = Target()
    try:
        leakgraph.attach(one.pid).close()
    except leakgraph.UnsupportedError as error:
        pytest.skip(str(error))
    else:
        yield one
    finally:
        one.end()


@pytest.fixture
def small(target):
    """Skips where `target` skips, because nobody may attach there."""
    one = Target(SMALL)
    yield one
    one.end()


@pytest.fixture(scope="module")
def found(target):
    return leakgraph.tree(target.pid)


def test_each_process_is_there(target, found):
    reported = [(one.pid, one.parent, one.forked) for one in found.processes]
    assert reported[0] == (target.pid, None, False)
    assert reported[1][1:] == (target.pid, False)
    assert found.processes[1].name == "multiprocessing.resource_tracker"
    assert reported[2:] == [(pid, target.pid, True) for pid in target.forks]
    for one in found.processes:
        assert one.objects.host > 1 << 20
        assert one.resident >= one.private + one.shared > 0
        assert one.path is None


def test_it_is_plain_for_programs(found):
    assert repr(found) == f"<leakgraph.Tree: {len(found.processes)} processes>"
    dicts = found.to_dicts()
    assert [row["pid"] for row in dicts] == [one.pid for one in found.processes]
    assert dicts[0]["objects"] == dict(found.processes[0].objects)
    assert [one.to_dict() for one in found.processes] == dicts
    assert [json.loads(one.json) for one in found.processes] == dicts
    whole = json.loads(found.json)
    assert [row["pid"] for row in whole["processes"]] == [row["pid"] for row in dicts]


def test_what_was_copied(found):
    toucher, other = found.processes[2:]
    row = found.copied[0]
    assert row.held_by.endswith("__main__.dataset.items[*]")
    assert row.type == "str"
    assert row.bytes[toucher.pid] > 0.8 * row.older[toucher.pid] > 8 << 20
    assert other.pid not in row.bytes
    assert toucher.copied > 10 << 20 > 5 * other.copied
    assert toucher.older >= toucher.copied


def test_shared_memory_is_named(target, found):
    (segment,) = [one for one in found.segments if "/dev/shm/" in one.name]
    assert segment.bytes == 1 << 20
    assert set(segment.processes) == {target.pid, target.toucher, target.other}
    assert {one.pid for one in segment.holders} == set(segment.processes)
    assert all("__main__.segment" in one.held_by for one in segment.holders)


def test_another_program_is_skipped(target, found):
    (left,) = found.left_out
    assert (left.pid, left.foreign) == (target.sleep, True)
    assert f"process {target.sleep} (sleep) does not run CPython" in left.why


def test_the_differences_of_children(target, found):
    assert found.compared == (target.toucher, target.other)
    rows = [row for row in found.differences if "kept" in row.held_by]
    assert max(row.apart for row in rows) > 1 << 20


def test_the_report(target, found):
    lines = str(found).splitlines()
    assert lines[0] == "4 processes"
    assert any(
        line.split()[:2] == [str(target.toucher), str(target.pid)] for line in lines
    )
    assert any("__main__.dataset.items[*]" in line for line in lines)
    assert any("/dev/shm/" in line and "__main__.segment" in line for line in lines)
    assert any(line.startswith("Left out, sleep 1000: ") for line in lines)


@pytest.mark.once
def test_a_child_that_ends_meanwhile(small, python):
    """It is a zombie when its turn comes, because nobody waits for it."""

    def kill(line):
        if "stopped for" in line:
            os.kill(small.toucher, signal.SIGKILL)
            while "State:\tZ" not in Path(f"/proc/{small.toucher}/status").read_text():
                pass

    found = family.gather(small.pid, None, 0, (30, False, None), kill)
    (left,) = found.left_out
    assert (left.pid, left.foreign) == (small.toucher, False)
    assert str(small.toucher) in left.why
    assert [one.pid for one in found.processes] == [small.pid]
    assert (found.copied, found.differences) == ((), None)
    done = python("-m", "leakgraph", "tree", small.pid)
    assert done.code == 4
    assert done.out.startswith("1 process\n") and "Left out, " in done.out


@pytest.mark.once
def test_a_child_that_is_gone(small, monkeypatch):
    def ends(pid):
        if pid == small.toucher:
            raise ProcessLookupError
        return memory(pid)

    memory = family.read_memory
    monkeypatch.setattr(family, "read_memory", ends)
    said = []
    tree = leakgraph.tree(small.pid, progress=lambda *at: said.append(at))
    (left,) = tree.left_out
    assert said[-1] == ("done", 1.0)
    assert left.why == f"process {small.toucher} ended"


@pytest.mark.once
def test_the_verb(small, python):
    done = python("-m", "leakgraph", "tree", small.pid, "--json", "-o", "kept")
    assert done.code == 0
    found = json.loads(done.out)
    child = found["processes"][1]
    assert (child["pid"], child["forked"]) == (small.toucher, True)
    assert 0 < child["copied"] < child["older"]
    with leakgraph.load(done.folder / child["path"]) as snap:
        assert snap.info()["pid"] == small.toucher
    assert sorted(os.listdir(done.folder / "kept")) == sorted(
        f"{pid}.lgs" for pid in (small.pid, small.toucher)
    )


@pytest.mark.once
def test_no_such_process():
    with pytest.raises(leakgraph.NotFoundError, match="no process 4194305"):
        leakgraph.tree(2**22 + 1)
    with pytest.raises(leakgraph.Error, match="is this one"):
        leakgraph.tree(os.getpid())


@pytest.mark.once
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["1x"], "takes the number of a process"),
        (["1", "--timeout", "0"], "--timeout needs a number of seconds, not 0"),
        (["1", "-o"], "-o needs a folder"),
    ],
)
def test_wrong_words(capsys, words, message):
    from leakgraph.verbs import run_verb

    with pytest.raises(SystemExit) as caught:
        run_verb("tree", list(words))
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.usefixtures("target")
def test_workers_of_the_worker_of_a_rank():
    one = Target(NESTED, RANK="3", WORLD_SIZE="4")
    try:
        tree = leakgraph.tree(one.pid)
    finally:
        one.end()
    reported = [(each.pid, each.parent, each.rank) for each in tree.processes]
    chain = [one.pid, *one.forks]
    assert reported == [(pid, up, "3") for pid, up in zip(chain, [None, *chain])]
    assert [each.forked for each in tree.processes] == [False, True, True]
    assert str(tree).count(" (rank 3, fork)") == 2 and " (rank 3)" in str(tree)
