"""A program that follows waste() saves what it promises."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from builds import FREE_THREADED, needs

import leakgraph

pytestmark = pytest.mark.ends

SCRIPT = Path(__file__).with_name("isolated") / "wasted.py"
#: Makes malloc keep nothing that a program frees.
SETTINGS = {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}
SECRET = "the text of nobody but this test"


@pytest.mark.skipif(FREE_THREADED, reason="mimalloc does not say what it gives out")
def test_builtins(isolated):
    done = isolated("wasted.py", "builtins", **SETTINGS)
    assert done.code == 0 and done.out == "right\n", done.err


@pytest.mark.libraries
@pytest.mark.parametrize(
    "library",
    [pytest.param(each, marks=needs(each)) for each in ("torch", "pandas")],
)
def test_libraries(warm, library):
    done = warm(library, **SETTINGS).run(SCRIPT, f"with_{library}")
    assert done.code == 0 and done.out == "right\n", done.err


def test_a_snapshot_without_contents(snap):
    waste = snap.waste(limit=3)
    assert not waste.compared
    assert "Contents were not compared" in str(waste)
    assert all(row.kind != "equal" for row in snap.waste(limit=None))


texts: list[str] = []


def test_waste_of_this_process(snap):
    texts[:] = ["".join([SECRET] * 100) for _ in range(100)]
    try:
        waste = leakgraph.waste(limit=None, module=__name__)
        nothing = leakgraph.waste(limit=None, module=__name__, contents=False)
    finally:
        texts.clear()
    (row,) = (row for row in waste if row.held_by == f"{__name__}.texts[*]")
    assert waste.compared and not nothing.compared
    assert (row.kind, row.type, row.count, row.used) == ("equal", "str", 99, 1)
    assert 99 * 100 * len(SECRET) < row.waste.host == row.size.host
    assert not row.at_most and row.of == 0
    assert row.node.type_name == "str"
    assert waste.total.host == sum(one.waste.host for one in waste)
    assert waste.total.host >= row.waste.host
    assert "share one object" in str(waste)
    found = json.loads(waste.json)
    assert found["total"] == dict(waste.total)
    assert [one["kind"] for one in found["rows"]] == [one.kind for one in waste]
    assert all(one.held_by != row.held_by for one in nothing)


def test_choice(snap):
    with pytest.raises(leakgraph.NotFoundError):
        snap.waste(module="no.such.module")
    few, every = snap.waste(limit=1), snap.waste(limit=None)
    assert len(few) == min(1, len(every)) and few.total == every.total
    more = snap.waste(limit=None, libraries=True)
    assert more.libraries.total == 0 <= every.libraries.total
    assert more.total.total == every.total.total + every.libraries.total


def test_partial_snapshot():
    with (
        leakgraph.snapshot(roots=[texts], contents=True) as part,
        pytest.raises(leakgraph.PartialError),
    ):
        part.waste()


def test_run_and_arm(python, tmp_path):
    (tmp_path / "script.py").write_text("texts = ['%d' % 123456 for _ in range(9)]\n")
    done = python(
        "-m", "leakgraph", "run", "--contents", "--at-exit=a.lgs", "script.py"
    )
    assert done.code == 0, done.err
    with leakgraph.load(tmp_path / "a.lgs") as snap:
        (row,) = (one for one in snap.waste(None) if one.held_by == "__main__.texts[*]")
        assert (row.kind, row.count) == ("equal", 8)
    code = (
        "import leakgraph\n"
        "leakgraph.arm('b.lgs', contents=True, rss=None, signal=None, at_exit=True)\n"
    )
    done = python("-c", code)
    assert done.code == 0, done.err
    with leakgraph.load(tmp_path / "b.lgs") as snap:
        assert snap.waste().compared
