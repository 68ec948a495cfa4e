"""mine and module limit each answer to what some modules hold."""

import subprocess
import sys

import pytest

import leakgraph

PROGRAM = """
import json, sys, threading
sys.path.insert(0, {folder!r})
import helpers
import leakgraph

class Box:
    def __init__(self):
        self.data = bytes(1000)

class Ours(Box):
    pass

kept = [Ours() for _ in range(10)]
json.kept = [Box() for _ in range(7)]
running = threading.Thread(target=helpers.wait, daemon=True)
running.start()
helpers.started.wait()
snapshot = leakgraph.snapshot()
snapshot.save("x.lgs")
helpers.ended.set()
running.join()
"""

HELPERS = """
import functools, threading

started, ended = threading.Event(), threading.Event()

class Cell:
    pass

def wait():
    secret = [Cell() for _ in range(5)]
    started.set()
    ended.wait()

def generate():
    held = [1, 2]
    yield held

waiting = generate()
next(waiting)

class Loader:
    @functools.lru_cache(maxsize=None)
    def load(self, number):
        return bytearray(100_000 + number)

loader = Loader()
for number in range(20):
    loader.load(number)
"""


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scope")
    (folder / "helpers.py").write_text(HELPERS)
    code = PROGRAM.format(folder=str(folder))
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True)
    return leakgraph.load(folder / "x.lgs")


def test_types(snapshot):
    def counts(**options):
        rows = snapshot.types(**options)
        found = {row.name: row.count for row in rows}
        names = ("__main__.Ours", "__main__.Box", "helpers.Cell")
        return tuple(found.get(name, 0) for name in names)

    assert counts() == (10, 7, 5)
    assert counts(mine=True) == (10, 0, 5)
    assert counts(module="helpers") == (0, 0, 5)
    assert counts(module="json") == (0, 7, 0)
    assert counts(mine=True, module="json") == (0, 0, 0)
    table = snapshot.types(module="helpers", by="count", limit=1)
    total = snapshot.types(module="helpers")
    assert len(table) == 1 and sum(row.count for row in total) < 1000


def test_threads(snapshot):
    def functions(**options):
        rows = snapshot.threads(**options)
        return [
            row.name.split()[-2 if row.kind == "frame" else 1]
            for row in rows
            if row.kind in ("frame", "suspended")
        ]

    assert len(functions()) > 4
    assert sorted(functions(mine=True)) == ["<module>()", "generate()", "wait()"]
    assert sorted(functions(module="helpers")) == ["generate()", "wait()"]
    assert functions(module="json") == []
    assert len(snapshot.threads(module="json")) == 0


def test_findings(snapshot):
    def patterns(**options):
        return {finding.pattern for finding in snapshot.findings(**options)}

    assert patterns() == {"lru-cache"}
    assert patterns(mine=True) == patterns() == patterns(module="helpers")
    assert patterns(module="json") == set()


@pytest.mark.parametrize("name", ["types", "threads", "tensors", "figures", "findings"])
def test_a_module_that_is_not_there(snapshot, name):
    with pytest.raises(leakgraph.NotFoundError, match="did you mean 'helpers'"):
        getattr(snapshot, name)(module="helper")


@pytest.mark.libraries
def test_tensors_and_figures(tmp_path, python):
    (tmp_path / "helpers.py").write_text("import torch\nkept = torch.zeros(1 << 18)\n")
    code = """
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt, torch, leakgraph, helpers
mine = torch.zeros(1 << 19)
torch.kept = torch.zeros(1 << 17)
helpers.figure = matplotlib.figure.Figure()
plt.figure()
s = leakgraph.snapshot()
for options in {}, {"mine": True}, {"module": "helpers"}:
    rows = s.tensors(**options)
    sums = s.tensors(group="device", **options)
    assert sums.storages == rows.storages
    held = [row.held_by.split(".")[0] for row in rows if row.bytes >= 1 << 19]
    print(held, len(s.figures(**options)))
"""
    done = python("-c", code, timeout=300)
    assert done.code == 0, done.err
    assert done.out.splitlines() == [
        "['__main__', 'helpers', 'torch'] 2",
        "['__main__', 'helpers'] 2",
        "['helpers'] 1",
    ]
