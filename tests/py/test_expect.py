"""expect_collectable() names the objects that are still alive, and says why."""

import gc
import json
import weakref

import pytest
from shapes import Thing

import leakgraph

pytestmark = [pytest.mark.ends, pytest.mark.small]

cache = {}


@pytest.fixture(autouse=True)
def nothing_expected():
    yield
    cache.clear()
    gc.collect()


def labels(snapshot):
    return sorted(found.label for found in snapshot.uncollected())


def test_what_is_alive_is_told_with_its_reason():
    thing = Thing()
    cache["page"] = thing
    leakgraph.expect_collectable(thing, "the page")
    del thing
    snapshot = leakgraph.snapshot()
    rows = snapshot.uncollected()
    (found,) = rows
    assert type(rows[:1]) is type(rows) is leakgraph.UncollectedRows
    assert repr(rows) == str(rows).rstrip("\n")
    assert rows.to_dicts() == [
        {"label": found.label, "node": found.node.index, "why": str(found.why.path)}
    ]
    assert json.loads(rows.json) == {"rows": rows.to_dicts()}
    assert json.loads(found.json) == found.to_dict() == rows.to_dicts()[0]
    assert str(rows) == f"the page: {found.why}"
    assert found.label == "the page"
    assert found.node.address == id(cache["page"])
    assert found.why.node == found.node
    assert str(found.why.path) == f"{__name__}.cache['page']"
    assert "page" in str(found.why)


def test_it_neither_holds_nor_shows_as_a_holder():
    thing = Thing()
    reference = weakref.ref(thing)
    leakgraph.expect_collectable(thing)
    why = leakgraph.why(thing)
    assert "Expectation" not in str(why) and "_expected" not in str(why)
    del thing
    assert reference() is None
    assert not leakgraph.snapshot().uncollected()


def test_the_snapshot_remembers_what_died_since():
    cache["a"] = Thing()
    leakgraph.expect_collectable(cache["a"], "a")
    snapshot = leakgraph.snapshot()
    cache.clear()
    assert labels(snapshot) == ["a"]
    assert labels(leakgraph.snapshot()) == []


def test_a_file_remembers_too(tmp_path, python):
    cache["a"] = Thing()
    leakgraph.expect_collectable(cache["a"], "request 7")
    path = leakgraph.snapshot().save(tmp_path / "x.lgs")
    assert labels(leakgraph.load(path)) == ["request 7"]
    done = python(
        "-c",
        "import leakgraph, sys\n"
        "(found,) = leakgraph.load(sys.argv[1]).uncollected()\n"
        "print(found.label, found.why.path.labels[-1])\n",
        path,
    )
    assert done.out == "request 7 ['a']\n", done.err


def test_labels():
    things = [Thing() for _ in range(3)]
    for thing in things:
        leakgraph.expect_collectable(thing)
    leakgraph.expect_collectable(things[0], "again")
    assert labels(leakgraph.snapshot()) == ["Thing", "Thing (2)", "Thing (3)", "again"]
    assert len(labels(leakgraph.snapshot(keys=False))) == 4
    with pytest.raises(TypeError, match="label must be a str"):
        leakgraph.expect_collectable(things[0], 7)


@pytest.mark.parametrize("thing", [[], {}, 1, "text", (1,), None])
def test_what_cannot_be_watched(thing):
    with pytest.raises(TypeError, match="cannot be weakly referenced, so it"):
        leakgraph.expect_collectable(thing)


def test_garbage_that_waits_for_the_collector():
    gc.disable()
    try:
        thing = Thing()
        thing.me = thing
        leakgraph.expect_collectable(thing, "cyclic")
        del thing
        (found,) = leakgraph.snapshot().uncollected()
        assert found.label == "cyclic" and not found.node.is_reachable
        assert found.node in set(found.why.snapshot.collectable())
    finally:
        gc.enable()
    gc.collect()
    assert not leakgraph.snapshot().uncollected()
