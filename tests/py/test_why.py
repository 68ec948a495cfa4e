"""why() gives the answer as text, as objects and as a picture."""

import contextvars
import dataclasses
import gc
import json
import re
import sys
import tracemalloc

import pytest
from builds import needs_attributes
from shapes import Thing

import leakgraph

pytestmark = [pytest.mark.ends, pytest.mark.small]

MIB = 1 << 20

keeper = Thing(losses=[], options={})


@pytest.fixture
def kept():
    batch = Thing(data=bytearray(MIB))
    keeper.losses = [batch]
    keeper.options = {"best": batch}
    yield batch
    keeper.losses, keeper.options = [], {}


def test_says_who_and_how_much(kept):
    why = leakgraph.why(kept)
    text = str(why)
    assert repr(why) == text.rstrip("\n")
    assert "Thing" in text and "retains 1.00 MiB" in text
    assert why.node.address == id(kept)
    assert MIB < why.retained < MIB + 2048


def test_its_references_are_rows():
    # pytest calls a test with the values of its fixtures, which the call holds.
    keeper.losses = [Thing()]
    keeper.options = {"best": keeper.losses[0]}
    answers = [
        leakgraph.why(keeper.losses[0]),
        leakgraph.snapshot().why(keeper.losses[0]),
    ]
    keeper.losses, keeper.options = [], {}
    for why in answers:
        rows = why.to_dicts()
        paths = [why.path, *why.paths]
        assert len(why.paths) > 1
        assert [row["path"] for row in rows] == [
            number for number, path in enumerate(paths) for _ in path
        ]
        for row, hop in zip(rows, (hop for path in paths for hop in path)):
            assert row["label"] == hop.label
            assert (row["source"], row["target"]) == (
                hop.source.index,
                hop.target.index,
            )
            assert row["type"] == hop.target.type_name
            assert row["size"] == hop.target.size
            assert row["retained"] == dict(hop.target.retained)
        reported = [
            row["label"] for row in rows if row["reason"] == "cut with the others"
        ]
        assert reported == [cut.label for cut in why.cuts]
        assert json.loads(json.dumps(rows)) == rows


def test_rows_say_which_reference_alone_frees_it():
    keeper.losses = [Thing()]
    why = leakgraph.why(keeper.losses[0])
    keeper.losses = []
    freeing = [row for row in why.to_dicts() if row["reason"] == "cutting it frees it"]
    assert [row["label"] for row in freeing] == [hop.label for hop in why.frees] != []
    assert {row["path"] for row in freeing} == {0}


@pytest.mark.libraries
def test_its_references_are_a_frame(kept):
    why = leakgraph.why(kept)
    frame = why.to_pandas()
    rows = why.to_dicts()
    assert list(frame.columns) == list(rows[0])
    assert frame["label"].tolist() == [row["label"] for row in rows]
    assert frame["retained"].tolist() == [row["retained"]["host"] for row in rows]


@needs_attributes
def test_the_question_itself_is_no_holder():
    keeper.losses = [Thing()]
    why = leakgraph.why(keeper.losses[0])
    assert why.dominator.type_name == "list"
    assert len(why.paths) == 1
    assert str(why.path) == f"{__name__}.keeper.losses[0]"
    assert why.node.unexplained == 0
    keeper.losses = []


@needs_attributes
def test_path_is_a_sequence_of_hops(kept):
    keeper.options = {}
    snapshot = leakgraph.snapshot()
    why = snapshot.why(snapshot.select(f"name:{__name__}.keeper.losses[0]")[0])
    path = why.path
    assert path.root is None or path.root.kind in ("module", "thread")
    assert path.labels == tuple(hop.label for hop in path)
    assert path[-1].target == why.node and len(path) == len(path.labels)
    assert tuple(path[:1]) == (path[0],)
    assert all(hop.reason == "" for hop in path)
    assert str(path) in repr(path)


def test_the_path_needs_no_analysis():
    """The command shows it before there is one."""
    snapshot = leakgraph.snapshot()
    indices = range(0, len(snapshot), len(snapshot) // 300)
    nodes = [snapshot.select(f"#{index}")[0] for index in indices]
    before = [node.path for node in nodes]
    answers = [snapshot.why(node).path for node in nodes]
    assert [str(path) for path in before] == [str(path) for path in answers]
    assert sum(path is not None for path in before) > 250


@needs_attributes
def test_every_way_is_told():
    keeper.losses, keeper.options = [Thing()], {}
    keeper.options["best"] = keeper.losses[0]
    snapshot = leakgraph.snapshot()
    (node,) = snapshot.select(f"name:{__name__}.keeper.losses[0]")
    why = snapshot.why(node)
    assert {path.labels[-1] for path in why.paths} == {"[0]", "['best']"}
    assert all(path[0].source == why.dominator for path in why.paths)
    assert all(path.root is None for path in why.paths)
    assert why.dominator == snapshot.find(keeper)
    keeper.losses, keeper.options = [], {}


@dataclasses.dataclass(frozen=True)
class Settings:
    rows: Thing


@dataclasses.dataclass(frozen=True)
class Slotted:
    __slots__ = ("rows",)
    rows: Thing


def cuts_of(get):
    listed = str(leakgraph.why(get())).split("cut each of these 2 references:\n")
    return {line.split(".")[-1] for line in listed[1].split("\n")[:2]}


@needs_attributes
def test_a_tuple_that_two_lists_have_is_removed_from_both():
    it = Thing(all=[(Thing(), 1)])
    it.again = [it.all[0]]
    assert cuts_of(lambda: it.all[0][0]) == {"all[0]", "again[0]"}


@needs_attributes
@pytest.mark.parametrize("frozen", [Settings, Slotted])
def test_the_reference_to_a_frozen_instance_is_cut(frozen):
    it = Thing(all=[frozen(Thing())])
    why = leakgraph.why(it.all[0].rows)
    assert why.frees[-1].label == "[0]"
    it.again = [it.all[0]]
    assert cuts_of(lambda: it.all[0].rows) == {"all[0]", "again[0]"}


def test_the_reference_to_a_frozen_instance_of_attrs_is_cut():
    attrs = pytest.importorskip("attrs")
    frozen = attrs.make_class("Settings", ["rows"], frozen=True)
    it = Thing(all=[frozen(Thing())])
    assert leakgraph.why(it.all[0].rows).frees[-1].label == "[0]"


def test_selector_node_and_object(kept):
    snapshot = leakgraph.snapshot()
    keeper.more = Thing()
    by_object = snapshot.why(kept)
    assert snapshot.why(by_object.node).node == by_object.node
    assert snapshot.why(f"#{by_object.node.index}").node == by_object.node
    biggest = snapshot.why("type:shapes.Thing").node
    assert biggest.retained == max(
        node.retained for node in snapshot.select("type:shapes.Thing")
    )
    with pytest.raises(leakgraph.NotFoundError):
        snapshot.why(keeper.more)
    with pytest.raises(leakgraph.ArgumentError, match="another snapshot"):
        leakgraph.snapshot().why(by_object.node)
    with pytest.raises(TypeError, match="needs the argument 'obj'"):
        leakgraph.why()


def test_garbage_has_no_path():
    from collector import collector_off

    with collector_off():
        lost = Thing()
        lost.me = lost
        address = id(lost)
        del lost
        why = leakgraph.snapshot().why(hex(address))
        assert why.path is None and why.paths == () and why.dominator is None
        assert "garbage" in str(why) or "no root" in str(why)
        assert why.to_dicts() == []
        assert why._repr_svg_().startswith("<svg")


def test_allocation_site_while_tracing():
    assert leakgraph.why({1}).allocated == ""
    tracemalloc.start()
    try:
        things = {1, 2}
        line = sys._getframe().f_lineno - 1
        why = leakgraph.why(things)
        saved = leakgraph.snapshot().why(things)
    finally:
        tracemalloc.stop()
    place = f"allocated at {__file__}:{line}"
    assert why.allocated.startswith(place) and place in str(why)
    assert saved.allocated == why.allocated
    assert leakgraph.why(things).allocated == ""


def test_allocation_site_of_a_node(tmp_path):
    tracemalloc.start()
    try:
        it = Thing(tracked=Thing(), untracked=bytearray(1000))
        line = sys._getframe().f_lineno - 1
        snapshot = leakgraph.snapshot()
        snapshot.save(tmp_path / "x.lgs")
        nodes = [snapshot.find(part) for part in (it, it.tracked, it.untracked)]
        given = [snapshot.why(node).allocated for node in nodes]
        chosen = snapshot.why(f"node:{nodes[1].index}").allocated
        several = snapshot.why(nodes).allocated
        loaded = leakgraph.load(tmp_path / "x.lgs").why(hex(id(it))).allocated
    finally:
        tracemalloc.stop()
    place = f"allocated at {__file__}:{line}"
    for told in (*given, chosen, several, loaded):
        assert told.startswith(place)
    assert snapshot.why(nodes[0]).allocated == ""


def test_no_allocation_site_of_an_object_that_is_gone():
    class Other:
        """Its instances may take the place of the object."""

    tracemalloc.start()
    try:
        it = Thing(tracked=Thing(), untracked=bytearray(1000))
        snapshot = leakgraph.snapshot()
        gone = [snapshot.find(it.tracked), snapshot.find(it.untracked)]
        del it.tracked, it.untracked
        others = [Other() for _ in range(1000)]
        told = [snapshot.why(node).allocated for node in gone]
    finally:
        tracemalloc.stop()
    assert told == ["", ""] and len(others) == 1000


class Plain:
    pass


class Slotted:
    __slots__ = ("x",)


class Referred:
    __slots__ = ("__weakref__", "x")


class Sized(tuple):
    """Its items come before its __dict__."""


class Failed(Exception):
    pass


MAKERS = {
    "an instance": Plain,
    "slots": Slotted,
    "weakly referred": Referred,
    "a tuple of a subclass": lambda: Sized((1, 2)),
    "an exception": Failed,
    "a class": lambda: type("Made", (), {}),
    "a list": lambda: [1, 2],
    "a tuple": lambda: tuple(range(30)),
    "a dict": lambda: {"x": 1},
    "a function": lambda: lambda: None,
    "a str": lambda: "ab".join("0123456789"),
}


def assert_allocated_here(make):
    """The last of many objects does not come from a free list, which has no traces."""
    gc.disable()
    tracemalloc.start(5)
    try:
        things = [make() for _ in range(3000)]
        allocated = leakgraph.why(things[-1]).allocated
    finally:
        tracemalloc.stop()
        gc.enable()
    assert allocated.startswith("allocated at ") and __file__ in allocated


@pytest.mark.parametrize("kind", MAKERS)
def test_allocation_site(kind):
    assert_allocated_here(MAKERS[kind])


@pytest.mark.libraries
def test_allocation_site_of_a_tensor():
    torch = pytest.importorskip("torch")
    assert_allocated_here(lambda: torch.ones(1))


def test_tracemalloc_is_never_imported(python):
    done = python(
        "-c",
        "import leakgraph, sys\n"
        "leakgraph.why(leakgraph)\n"
        "print('tracemalloc' in sys.modules)\n",
    )
    assert done.out == "False\n", done.err


def test_picture(kept, tmp_path):
    why = leakgraph.why(kept)
    path = tmp_path / "why.svg"
    assert why.save(path) == str(path) and "<svg" in path.read_text()
    assert why.save(tmp_path / "x", format="dot")
    assert why._repr_svg_().startswith("<svg")
    html = why._repr_html_()
    assert "<pre " in html and "data:image/svg+xml" in html and "1.00 MiB" in html
    assert "white-space:pre-wrap" in html
    assert "Thing" in why.drawing.text
    with pytest.raises(TypeError):
        why.save()


def test_a_picture_is_drawn_once(kept, monkeypatch):
    why = leakgraph.why(kept)
    html, svg = why._repr_html_(), why._repr_svg_()
    monkeypatch.setenv("LEAKGRAPH_RENDERER", "/no/renderer")
    assert why._repr_html_() == html and why._repr_svg_() == svg
    assert "<svg" not in (leakgraph.why(kept)._repr_svg_() or "")


def test_why_keeps_neither_the_snapshot_nor_the_object():
    thing = Thing()
    before = sys.getrefcount(thing)
    why = leakgraph.why(thing)
    assert sys.getrefcount(thing) == before
    assert why.snapshot.closed and why.node.type_name == "shapes.Thing"
    snapshot = leakgraph.snapshot()
    assert snapshot.why(thing).snapshot is snapshot


def test_a_namespace_is_explained_as_its_owner():
    snapshot = leakgraph.snapshot()
    owned = ((snapshot.why(node), node) for node in snapshot.select("type:dict"))
    why = next(why for why, node in owned if why.node != node)
    assert list(why.nodes) == [why.node]
    assert why.merged.retained == why.retained
    parsed = json.loads(why.json)
    assert parsed["paths"]["retained"] == parsed["biggest"]["retained"]


@needs_attributes
def test_a_context_variable_is_named_however_many_there_are():
    session = contextvars.ContextVar("session")
    others = [contextvars.ContextVar(f"other {number}") for number in range(1000)]

    def fill():
        session.set([Thing()])
        for other in others:
            other.set(0)
        return leakgraph.snapshot()

    snapshot = contextvars.Context().run(fill)
    (node,) = [
        node
        for node in snapshot.select("thread MainThread context variables[session][*]")
        if node.type_name.endswith("Thing")
    ]
    cuts = re.findall(r"↓ (.*)\n│ +~+\n", str(snapshot.why(node)))
    assert cuts == ["[session]", "[0]"]
    held_by = "thread MainThread context variables[session][0]"
    assert snapshot.why(held_by).node == node
    steps = ["context", "variables", "[session]", "[0]"]
    assert re.findall(r"↓ (.*)\n", str(snapshot.why(node))) == steps
    drawn = str(snapshot.show_path(node, format="dot"))
    assert "hamt" in drawn and "hamt_" not in drawn
    inner = next(n for n in snapshot.nodes if n.type_name == "hamt_bitmap_node")
    assert "╰→ hamt_bitmap_node" in str(snapshot.why(inner))


@needs_attributes
def test_the_mapping_of_a_context_has_its_variables_in_every_answer():
    names = ("alone", "first", "second", *map(str, range(1000)))
    alone, first, second, *others = map(contextvars.ContextVar, names)

    def fill():
        for other in others:
            other.set(0)
        alone.set([])
        thing = Thing()
        first.set(thing)
        second.set(thing)
        del thing
        return leakgraph.snapshot()

    snapshot = contextvars.Context().run(fill)
    where = "thread MainThread context variables"
    mapping, one, thing = (
        snapshot.why(f"{where}{step}").node for step in ("", "[alone]", "[first]")
    )
    why = snapshot.why(one)
    assert [hop.source for hop in why.frees] == [why.path[-1].source] == [mapping]
    assert one.dominator == why.dominator == mapping
    assert f"goes through hamt #{mapping.index}, which" in str(why)
    parsed = json.loads(why.json)["biggest"]
    assert parsed["path"][-1]["source"] == parsed["dominator"] == mapping.index
    several = snapshot.why(thing)
    assert sorted(hop.label for hop in several.cuts) == ["[first]", "[second]"]
    assert {hop.source for hop in several.cuts} == {mapping}
    drawn = json.loads(several.drawing.json)
    marked = [edge["source"] for edge in drawn["edges"] if edge.get("role") == "frees"]
    assert {drawn["nodes"][box]["node"] for box in marked} == {mapping.index}


def test_cannot_be_made_by_hand():
    for name in ("Why", "Cycle", "Cycles", "Path", "Top", "Dominators"):
        with pytest.raises(TypeError):
            getattr(leakgraph, name)()


@pytest.mark.parametrize(
    ("heap", "imported"),
    [
        ("stdlib", "json"),
        ("email.mime.text", "json"),
        pytest.param("torch", "torch", marks=pytest.mark.libraries),
        pytest.param("matplotlib", "matplotlib.pyplot", marks=pytest.mark.libraries),
    ],
)
def test_text_json_picture_and_python_agree(warm, heap, imported):
    done = warm(imported).isolated("why_agrees.py", heap, "100")
    assert done.out.endswith("100 of 100 agree\n"), done.out[-3000:] + done.err
