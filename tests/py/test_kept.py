"""Answers of the module's functions keep what they show, but drop their snapshots."""

import copy
import gc
import json
import pickle

import pytest
from builds import DROPPED
from shapes import Thing

import leakgraph

pytestmark = [pytest.mark.ends, pytest.mark.small]

MIB = 1 << 20

HEAP = """
import os
import leakgraph

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

heap = [[number, {}] for number in range(250_000)]
"""

#: These need the graph.
NAVIGATION = {
    "referents": lambda node: node.referents(),
    "referrers": lambda node: node.referrers(),
    "dominated": lambda node: node.dominated,
    "snapshot": lambda node: node.snapshot.types(),
    "select": lambda node: node.snapshot.select("type:dict"),
    "why": lambda node: node.snapshot.why(node),
}


@pytest.fixture(scope="module")
def kept():
    holder = Thing(data=bytearray(2 * MIB), other=Thing(data=bytearray(MIB)))
    return holder, leakgraph.top(), leakgraph.why(holder.data)


def described(node):
    """Read all properties of a node."""
    names = [name for name in dir(node) if not name.startswith("_")]
    skipped = ["dominated", "referents", "referrers", "snapshot", "index", "type"]
    skipped += ["json", "to_dict", "path", "why"]
    return {name: getattr(node, name) for name in names if name not in skipped}


def test_the_memory_of_the_snapshot_returns(python):
    done = python(
        "-c",
        HEAP
        + """
leakgraph.top(), leakgraph.cycles()
before = resident()
top, why, found = leakgraph.top(), leakgraph.why(heap), leakgraph.findings()
cycles = leakgraph.cycles()
many = [leakgraph.top(limit=3) for _ in range(3)]
own = leakgraph.memory().host["leakgraph"] or 0
print(own < 1 << 20, resident() - before < 24 << 20)
print(top[0].node.type_name, top[0].node.retained > 30 << 20, len(str(why)) > 100)
""",
    )
    assert done.code == 0, done.err
    assert done.out.splitlines() == ["True True", "list True True"]


def test_the_memory_of_places_returns(python):
    done = python(
        "-c",
        HEAP
        + """
with leakgraph.snapshot():
    pass
before = resident()
for _ in range(3):
    with leakgraph.snapshot() as snapshot:
        snapshot.summary("kept.lgsum")
        snapshot.waste()
"""
        + DROPPED
        + """
print((resident() - before) >> 20)
""",
    )
    assert done.code == 0, done.err
    assert int(done.out) < 16


#: Questions whose arrays have an entry for each object. Each is asked twice: freed
#: blocks raise the size from which malloc returns a block to the system.
QUESTIONS = {
    "why": "leakgraph.why(heap)",
    "top": "leakgraph.top()",
    "waste": "leakgraph.waste()",
    "cycles": "leakgraph.cycles()",
    "findings": "leakgraph.findings()",
    "figures": "leakgraph.figures()",
    "tensors": "leakgraph.tensors()",
    "memory": "leakgraph.memory()",
    "dominators": "str(leakgraph.snapshot().dominators())",
    "merged paths": "str(leakgraph.snapshot().merged_paths('type:dict'))",
    "what_if": "str(leakgraph.snapshot().what_if('__main__.heap'))",
    "collectable": "len(leakgraph.snapshot().collectable())",
    "diff": "str(leakgraph.diff(leakgraph.snapshot(), leakgraph.snapshot()))",
}


def kept_by(python, questions, objects, times):
    """Ask each question so often. List (name, MiB that stay after it)."""
    done = python(
        "-c",
        HEAP.replace("[number, {}]", "{'a': number, 'b': [number]}").replace(
            "250_000", objects
        )
        + f"""
with leakgraph.snapshot():
    pass
for name, question in {questions!r}.items():
    for _ in range({times}):
        before = resident()
        str(eval(question))
        print(name, (resident() - before) >> 20, sep=":")
""",
        timeout=600,
    )
    assert done.code == 0, done.err
    kept = [line.split(":") for line in done.out.splitlines()]
    assert [name for name, _ in kept[::times]] == list(questions)
    return kept


@pytest.mark.once
def test_the_memory_of_questions_returns(python):
    kept = kept_by(python, QUESTIONS, objects="400_000", times=2)
    assert [line for line in kept if int(line[1]) > 8] == []


#: Answers with a list of a million nodes.
LISTS = {
    "what_if": "leakgraph.snapshot().what_if('__main__.heap')",
    "select": "leakgraph.snapshot().select('type:dict')[::-1]",
    "dominated": "leakgraph.snapshot().find(heap).dominated",
}


def test_the_memory_of_lists_returns(python):
    kept = kept_by(python, LISTS, objects="600_000", times=3)
    assert [line for line in kept if int(line[1]) > 8] == []


def test_nodes_know_what_they_knew(kept):
    holder, _, _ = kept
    snapshot = leakgraph.snapshot()
    graph = snapshot.why(holder.data)
    alone = leakgraph.why(holder.data)
    there, here = described(graph.node), described(alone.node)
    assert set(there) == set(here)
    assert here["dominator"].type_name == there["dominator"].type_name
    for name in set(there) - {"dominator", "refcount", "unexplained", "found"}:
        assert here[name] == there[name], name
    assert json.loads(alone.node.json) == alone.node.to_dict()
    for name in set(graph.node.to_dict()) - {"node", "refcount", "found"}:
        assert alone.node.to_dict()[name] == graph.node.to_dict()[name], name
    assert repr(alone.node).partition(": ")[2] == repr(graph.node).partition(": ")[2]
    assert alone.node.snapshot.closed and not snapshot.closed


@pytest.mark.parametrize("name", NAVIGATION)
def test_navigation_needs_a_snapshot(kept, name):
    _, top, why = kept
    for node in (top[0].node, why.node, why.path[-1].source):
        with pytest.raises(leakgraph.ClosedError, match=r"leakgraph\.snapshot\(\)"):
            NAVIGATION[name](node)


def test_dominators_are_known_one_step_up(kept):
    _, top, _ = kept
    rows = [row for row in top if row.node.dominator is not None]
    assert rows
    for row in rows:
        assert row.node.dominator.label
        assert row.node.dominator.retained >= row.node.retained


def test_top_prints_and_converts(kept):
    _, top, _ = kept
    dicts = top.to_dicts()
    assert [row["node"] for row in dicts] == [row.node.index for row in top]
    assert len(json.loads(top.json)["rows"]) == len(top)
    own = next(row for row in top if row.title == "Thing")
    assert own.held_by in str(top)
    assert str(top[:3]) != "" and "<table>" in top._repr_html_()


@pytest.mark.libraries
def test_to_pandas(kept):
    pytest.importorskip("pandas")
    _, top, _ = kept
    assert list(top.to_pandas()["node"]) == [row.node.index for row in top]


def test_rows_pickle_without_a_file(kept):
    _, top, _ = kept
    rows = pickle.loads(pickle.dumps(list(top)))
    for row, loaded in zip(top, rows):
        assert (loaded.title, loaded.retained) == (row.title, row.retained)
        assert repr(loaded.node) == repr(row.node)
        there = described(row.node)
        for name, value in described(loaded.node).items():
            if name == "dominator" and value is not None:
                assert value.label == there[name].label
            elif name != "dominator":
                assert value == there[name], name
    assert rows[0].node.snapshot is rows[1].node.snapshot
    assert copy.copy(top[0].node) == copy.deepcopy(top[0].node) == top[0].node
    with pytest.raises(leakgraph.ClosedError):
        rows[0].node.referrers()


def test_a_pickle_of_something_else_is_refused():
    from leakgraph import _core

    for wrong in ([], {"a": b""}, {1: "text"}):
        with pytest.raises(leakgraph.ArgumentError, match="pickle"):
            _core._recalled(wrong)
    snapshot = _core._recalled({1: b"no record"})
    with pytest.raises((ValueError, EOFError, TypeError)):
        snapshot.node(1).label


def test_why_has_all_its_parts(kept, tmp_path):
    holder, _, _ = kept
    why, whole = leakgraph.why(holder.data), leakgraph.snapshot().why(holder.data)
    assert str(why.path) == str(whole.path)
    assert [hop.label for hop in why.frees] == [hop.label for hop in whole.frees]
    assert len(why.cuts) == len(whole.cuts) and why.cut_count == whole.cut_count
    assert len(why.paths) == len(whole.paths) and why.kept is None
    assert why.retained == whole.retained
    assert why.dominator.label == whole.dominator.label
    assert why.drawing.nodes == whole.drawing.nodes
    assert set(json.loads(why.json)) == set(json.loads(whole.json))
    assert [node.label for node in why.nodes] == [why.node.label]
    assert "<pre" in why._repr_html_()
    why.save(tmp_path / "why.dot")
    assert why.merged is why.merged and len(why.merged) == len(whole.merged)
    assert why.merged.retained == whole.merged.retained
    with pytest.raises(leakgraph.ClosedError, match=r"leakgraph\.snapshot\(\)"):
        why.merged.drawing


def test_cycles_have_all_their_parts():
    parent = Thing(data=bytearray(2 * MIB))
    parent.child = Thing(parent=parent)
    found, snapshot = leakgraph.cycles(limit=None), leakgraph.snapshot()
    (cycle,) = (c for c in found if c.node.address in (id(parent), id(parent.child)))
    (whole,) = (c for c in snapshot.cycles() if snapshot.find(parent) in list(c.nodes))
    assert (str(cycle), cycle.kind, cycle.advice) == (str(whole), "held", whole.advice)
    assert cycle.types == whole.types and len(cycle.types) > 0
    assert str(cycle.path) == str(whole.path) and cycle.cut == cycle.cuts[0]
    assert cycle.drawing.text == whole.drawing.text
    assert cycle._repr_svg_().startswith("<svg")
    assert "data:image/svg+xml" in found._repr_html_()
    assert "<table>" in found[:1]._repr_html_()
    members = {(node.address, node.type_name, node.retained) for node in whole.nodes}
    assert {(n.address, n.type_name, n.retained) for n in cycle.nodes} == members
    for part in ("edges", "cut_edges"):
        with pytest.raises(leakgraph.ClosedError, match=r"leakgraph\.snapshot\(\)"):
            getattr(cycle, part)
    (again,) = pickle.loads(pickle.dumps([cycle]))
    assert repr(again) == repr(cycle) and again.cuts[0].label == cycle.cuts[0].label
    assert copy.copy(cycle).cuts == cycle.cuts


def test_the_first_cycles_have_a_path_and_a_picture():
    rings = [Thing() for _ in range(30)]
    for ring in rings:
        ring.me = ring
        ring.data = bytearray(1 << 21)
    found = leakgraph.cycles(kind="held", limit=None)
    assert len(found) >= 30 and found[19].drawing.nodes > 0
    assert found[19].path is not None and len(found[29].types) > 0
    for part in ("path", "drawing", "nodes"):
        with pytest.raises(leakgraph.ClosedError):
            getattr(found[29], part)


def test_the_first_members_of_a_big_cycle_stay():
    ring = [Thing() for _ in range(150)]
    for index, thing in enumerate(ring):
        thing.next = ring[index - 1]
        thing.data = bytearray(1 << 18)
    found = leakgraph.cycles(holding=Thing)[0]
    assert found.objects >= 150 and len(found.nodes) == 100
    addresses = {id(thing) for thing in ring} | {id(vars(thing)) for thing in ring}
    assert {node.address for node in found.nodes} <= addresses
    assert all(node.retained.total > 0 and node.label for node in found.nodes)


def test_other_answers_keep_their_rows_alone():
    gc.collect()  # the answer about cycles keeps what it says of each
    with leakgraph.snapshot() as snapshot:
        objects = len(snapshot)
    before = leakgraph.memory().host["leakgraph"] or 0
    answers = leakgraph.findings(), leakgraph.figures(), leakgraph.tensors()
    answers += (leakgraph.cycles(limit=None),)
    kept = (leakgraph.memory().host["leakgraph"] or 0) - before
    assert kept < 20 * objects  # a snapshot has more than 40 bytes for each
    assert all(isinstance(str(answer), str) for answer in answers)
