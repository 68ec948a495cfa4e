"""A Watch reports the memory of children by name, in fork, spawn and a loader."""

import multiprocessing
import os
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest

import leakgraph
from leakgraph import workers
from leakgraph.workers import FLOOR, MOST, POINTS, Worker, Workers, own_name

pytestmark = pytest.mark.ends

MEGABYTE = 1 << 20


def test_rising():
    worker = Worker(7, "loader", 40 * MEGABYTE)
    for x in range(10):
        assert worker.is_rising() == (x >= 8)
        worker.add(x, 300 * MEGABYTE + x * FLOOR)
    assert worker.is_rising()
    assert worker.describe() == (
        "loader (pid 7): 49.0 MiB of its own, +9.00 MiB, rises"
    )


def test_not_rising():
    steady, little = Worker(7, "steady", 0), Worker(8, "little", 0)
    for x in range(10):
        steady.add(x, 40 * MEGABYTE + x % 2 * FLOOR)
        little.add(x, x * FLOOR // 10)
    assert not steady.is_rising()
    assert not little.is_rising()
    assert steady.describe().endswith(", +1.00 MiB")


def test_many_points():
    worker = Worker(7, "loader", 0)
    for x in range(10 * POINTS):
        worker.add(x, x)
        assert len(worker._x) <= POINTS
    assert worker.bytes == 10 * POINTS - 1


def test_a_process_that_ends():
    worker = Worker(7, "loader", 10 * FLOOR)
    for x, used in enumerate([*range(10, 90, 10), 30, 3]):
        worker.add(x, used * FLOOR)
    assert (worker.bytes, worker.gained) == (80 * FLOOR, 70 * FLOOR)
    assert worker.is_rising()
    assert (Worker(8, "none", 0).bytes, Worker(8, "none", 0).gained) == (0, 0)


@pytest.fixture
def child(monkeypatch):
    """A child that tells what it has: its anonymous bytes, and those of its own."""
    child = SimpleNamespace(anonymous=300 * MEGABYTE, own=5 * MEGABYTE, forked=True)
    monkeypatch.setattr(workers, "_children", lambda: [7])
    monkeypatch.setattr(
        workers,
        "_anonymous_bytes",
        lambda pid: 290 * MEGABYTE if pid == os.getpid() else child.anonymous,
    )
    monkeypatch.setattr(workers, "_name", lambda pid: "loader")
    monkeypatch.setattr(workers, "_own_bytes", lambda pid: child.own)
    monkeypatch.setattr(workers, "_is_forked", lambda pid: child.forked)
    return child


def test_what_a_forked_child_copied_is_told_and_no_rise(child):
    """It had 10 MiB more than its parent at the first look: those it allocated."""
    seen = Workers()
    for x in range(10):
        seen.sample(x)
        child.own += 8 * MEGABYTE
    seen.measure()
    line, tree = seen.lines()
    assert line == (
        "loader (pid 7): 85.0 MiB of its own,"
        " +85.0 MiB, 75.0 MiB of it copied from its parent"
    )
    assert f"`leakgraph tree {os.getpid()}`" in tree


@pytest.mark.parametrize("gone", [None, 0])
def test_a_child_that_has_ended_keeps_its_bytes(child, gone):
    child.forked = False
    seen = Workers()
    seen.sample(1.0)
    child.own += 75 * MEGABYTE
    seen.measure()
    child.own = gone
    seen.measure()
    assert seen.lines() == ["loader (pid 7): 80.0 MiB of its own, +75.0 MiB"]


def test_what_it_allocates_after_a_measurement_counts(child):
    child.forked = False
    seen = Workers()
    seen.sample(1.0)
    child.own, child.anonymous = 6 * MEGABYTE, 301 * MEGABYTE
    seen.sample(1.5)
    child.own, child.anonymous = None, 304 * MEGABYTE
    seen.sample(2.0)
    assert seen.lines() == ["loader (pid 7): 9.00 MiB of its own, +4.00 MiB"]


def test_a_measurement_takes_its_share_of_the_time(child, monkeypatch):
    seen, seconds, asked = Workers(), [0.0], []

    def own(pid):
        asked.append(pid)
        seconds[0] += 0.05
        return child.own

    monkeypatch.setattr(workers, "_own_bytes", own)
    monkeypatch.setattr(workers, "thread_time", lambda: seconds[0])
    seen.sample(0.0)
    before = len(asked)
    for x in (1.0, 4.9):
        seen.sample(x)
    assert len(asked) == before
    seen.sample(5.1)
    assert len(asked) == before + 1


def test_a_forked_child_is_told_from_another():
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    forked = context.Process(target=there.recv)
    forked.start()
    with subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, text=True
    ) as other:
        assert workers._is_forked(forked.pid)
        assert not workers._is_forked(other.pid)
        other.communicate("\n")
    here.send(0)
    forked.join()
    assert not workers._is_forked(forked.pid)


def test_many_children(monkeypatch):
    monkeypatch.setattr(workers, "_children", lambda: range(1, 3 * MOST))
    monkeypatch.setattr(workers, "_anonymous_bytes", lambda pid: pid)
    monkeypatch.setattr(workers, "_own_bytes", lambda pid: pid)
    monkeypatch.setattr(workers, "_name", lambda pid: "one")
    seen = Workers()
    seen.sample(1.0)
    assert len(seen.lines()) == MOST


def test_the_child_that_takes_a_snapshot_is_no_worker(monkeypatch):
    monkeypatch.setattr(workers, "_children", lambda: [1, 2])
    monkeypatch.setattr(workers, "_anonymous_bytes", lambda pid: pid)
    monkeypatch.setattr(workers, "_own_bytes", lambda pid: pid)
    monkeypatch.setattr(workers, "_name", ["", "leakgraph", "loader"].__getitem__)
    seen = Workers()
    seen.sample(1.0)
    (line,) = seen.lines()
    assert line.startswith("loader (pid 2): ")


def name_yourself(pipe):
    pipe.send((own_name(), os.getpid()))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_own_name(method):
    context = multiprocessing.get_context(method)
    here, there = context.Pipe()
    child = context.Process(target=name_yourself, args=(there,), name="loader-3")
    child.start()
    name, pid = here.recv()
    child.join()
    assert name == f"loader-3 (pid {pid}): "
    assert own_name() == ""


@pytest.mark.parametrize(
    ("name", "job"),
    [("RANK", {"WORLD_SIZE": "4"}), ("OMPI_COMM_WORLD_RANK", {}), ("SLURM_PROCID", {})],
)
def test_own_name_of_a_rank(monkeypatch, name, job):
    for key, value in {name: "3", **job}.items():
        monkeypatch.setenv(key, value)
    assert own_name() == "rank 3: "
    here, there = multiprocessing.Pipe()
    child = multiprocessing.Process(
        target=name_yourself, args=(there,), name="loader-3"
    )
    child.start()
    assert here.recv() == (f"rank 3, loader-3 (pid {child.pid}): ", child.pid)
    child.join()


def test_a_child_of_another_kind():
    with subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, text=True
    ) as child:
        with leakgraph.watch() as watch:
            report = watch.report()
        child.communicate("\n")
    assert f"(pid {child.pid}): " in report
    seen = Workers()
    seen.sample(1.0)
    assert str(child.pid) not in str(seen.lines())


SCRIPT = """
import multiprocessing, sys
import leakgraph

def work(here, there):
    kept = []
    while there.recv() > 0:
        kept.append(bytearray(4 << 20))
        there.send(len(kept))

if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    here, there = context.Pipe()
    args = (here, there)
    worker = context.Process(target=work, args=args, name="loader-3")
    with leakgraph.watch() as watch:
        worker.start()
        for _ in range(8):
            here.send(1)
            here.recv()
            watch.report()
        print(watch.report())
    here.send(0)
    worker.join()
    print(worker.exitcode)
"""


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_worker_that_leaks(tmp_path, method):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, str(path), method], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    (line,) = [line for line in done.stdout.splitlines() if "loader-3" in line]
    assert line.endswith(", rises")
    assert done.stdout.splitlines()[-1] == "0"


LOADER = """
import itertools
import torch
from torch.utils.data import DataLoader, Dataset
from leakgraph.watching import Watch

torch.set_num_threads(1)
kept = []

class Numbers(Dataset):
    def __len__(self):
        return 300

    def __getitem__(self, index):
        kept.append(bytearray(200_000))
        return torch.tensor(float(index))

loader = DataLoader(Numbers(), batch_size=5, num_workers=2,
                    multiprocessing_context=METHOD)
if __name__ == "__main__":
    # A step takes a second, and there is no budget for snapshots.
    seconds = itertools.count()
    with Watch(1e-9, clock=lambda: next(seconds), work=lambda: 0.0) as watching:
        total = 0.0
        for batch in loader:
            total += batch.sum()
            watching.step()
    print(watching.report())
    print(total.item())
"""


@pytest.mark.libraries
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_of_a_loader(tmp_path, method):
    path = tmp_path / "script.py"
    path.write_text(LOADER.replace("METHOD", repr(method)))
    done = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == str(float(sum(range(300))))
    reported = [line for line in lines if re.search(r"\+\d\d\.\d MiB,.* rises$", line)]
    assert len(reported) == 2, done.stdout
