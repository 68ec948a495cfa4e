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
        rows = snapshot.types(limit=None, **options)
        found = {row.type: row.count for row in rows}
        names = ("__main__.Ours", "__main__.Box", "helpers.Cell")
        return tuple(found.get(name, 0) for name in names)

    assert counts() == (10, 7, 5)
    assert counts(mine=True) == (10, 0, 5)
    assert counts(module="helpers") == (0, 0, 5)
    assert counts(module="json") == (0, 7, 0)
    assert counts(mine=True, module="json") == (0, 0, 0)
    table = snapshot.types(module="helpers", by="count", limit=1)
    assert len(table) == 1 < table.types and table.objects < 1000


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


def test_dominators(snapshot):
    def names(**options):
        return [row.title for row in snapshot.analyze(**options)]

    whole, part = names(), names(module="helpers")
    assert any("helpers" in name for name in part) and len(part) < len(whole)
    assert [row.node for row in snapshot.analyze()] == [
        row.node for row in snapshot.dominators()
    ]
    drawn = snapshot.show_dominators(min_share=0, module="helpers")
    assert "chosen modules" in drawn.dot
    assert "helpers.Loader" in drawn.dot and "enum.Enum" not in drawn.dot
    whole = snapshot.show_dominators(min_share=0, max_nodes=2000)
    assert "enum.Enum" in whole.dot


def test_what_if(snapshot):
    cut = ["__main__.kept", "json.kept"]
    whole = snapshot.what_if(cut)
    ours = snapshot.what_if(cut, mine=True)
    theirs = snapshot.what_if(cut, module="json")
    assert whole.listed == len(whole.nodes) == len(ours.nodes)
    assert whole.size == ours.size == theirs.size
    assert ours.listed + theirs.listed == whole.listed
    assert {row.type: row.count for row in ours}["__main__.Ours"] == 10
    assert {row.type: row.count for row in theirs}["__main__.Box"] == 7
    assert sum(row.count for row in ours) == ours.listed
    assert f"modules hold {ours.listed} of them" in str(ours)


def test_diff(tmp_path):
    code = """
import json, leakgraph
ours, json.theirs = [], []
for i in range(4):
    ours += [bytearray(10_000) for _ in range(20)]
    json.theirs += [bytearray(10_000) for _ in range(20)]
    leakgraph.snapshot().save(f"{i}.lgs")
"""
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    paths = [tmp_path / f"{i}.lgs" for i in range(4)]

    def holders(**options):
        growth = leakgraph.diff(*paths, min_bytes="100 KiB", **options)
        return {row.held_by for row in growth}, growth.elsewhere

    both = {"__main__.ours[*]", "json.theirs[*]"}
    assert holders() == (both, 0)
    assert holders(mine=True) == ({"__main__.ours[*]"}, 1)
    assert holders(module="js*") == ({"json.theirs[*]"}, 1)
    scoped = leakgraph.load(paths[0]).diff(*paths[1:], mine=True)
    assert scoped.types == () and "modules do not hold" in str(scoped)
    leakgraph.load(paths[3]).summary(tmp_path / "last.lgsum")
    with pytest.raises(leakgraph.ArgumentError, match="that is a summary"):
        leakgraph.diff(*paths, tmp_path / "last.lgsum", mine=True)


NAMES = ["types", "threads", "tensors", "figures", "findings", "analyze"]


@pytest.mark.parametrize("name", NAMES)
def test_a_module_that_is_not_there(snapshot, name):
    with pytest.raises(leakgraph.NotFoundError, match="did you mean 'helpers'"):
        getattr(snapshot, name)(module="helper")


@pytest.mark.libraries
def test_tensors_and_figures(tmp_path, warm):
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
    (tmp_path / "script.py").write_text(code)
    done = warm("torch").run(tmp_path / "script.py")
    assert done.code == 0, done.err
    assert done.out.splitlines() == [
        "['__main__', 'helpers', 'torch'] 2",
        "['__main__', 'helpers'] 2",
        "['helpers'] 1",
    ]
