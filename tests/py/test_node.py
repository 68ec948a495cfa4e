"""Nodes and edges: identity, facts, references."""

import sys
import weakref

import holding
import pytest

import leakgraph


def test_identity(snap, held):
    node = snap.find(held)
    again = snap.node(node.index)
    assert node == again and hash(node) == hash(again) and node is not again
    assert node != snap.find(held.losses) and node != 17
    other = leakgraph.snapshot(roots=[held])
    assert other.find(held) != node
    assert {node, again} == {node}
    with pytest.raises(TypeError):
        node < again  # noqa: B015


def test_facts(snap, held):
    node = snap.find(held.losses)
    assert node.address == id(held.losses)
    assert node.type_name == "list"
    assert node.size == sys.getsizeof(held.losses)
    assert node.refcount == 1 and node.found == 1 and node.unexplained == 0
    assert node.label == "list of 3"
    assert node.type == snap.find(list)
    assert node.snapshot is snap
    assert node.tracked and not node.synthetic and not node.frozen
    assert not node.immortal and not node.frontier and not node.is_root
    assert repr(node).startswith(f"<leakgraph.Node {node.index}: list of 3, ")


def test_immortal(snap):
    assert snap.find(None).immortal and snap.find(None).unexplained == 0


def test_class_of_an_instance(snap, held):
    assert snap.find(held).type_name == f"{type(held).__module__}.Trainer"
    assert snap.find(type(held)).text.endswith("Trainer")


def test_the_biggest_of_many(snap):
    found = snap.select("type:list")
    ranked = sorted(found, key=lambda node: (-node.retained.total, node.index))
    assert list(found.biggest(limit=None)) == ranked
    assert list(found.biggest()) == ranked[:20]
    half = set(found[::2])
    assert list(found[::2].biggest(3)) == [one for one in ranked if one in half][:3]
    assert snap.nodes.biggest(1)[0].retained.total >= ranked[0].retained.total
    assert len(found[:0].biggest()) == 0
    with pytest.raises(leakgraph.ArgumentError):
        found.biggest(-1)


def test_edges_of_a_list(snap, held):
    node = snap.find(held.losses)
    items = [edge for edge in node.referents() if edge.kind == "index"]
    assert [edge.label for edge in items] == ["[0]", "[1]", "[2]"]
    assert [edge.node.address for edge in items] == [id(x) for x in held.losses]
    for edge in items:
        assert edge.source == node and edge.target == edge.node
        assert edge.counted and edge.traversed and not edge.weak


def test_referrers(snap, held):
    edge = next(iter(snap.find(held.losses[1]).referrers()))
    assert edge.node == edge.source == snap.find(held.losses)
    assert edge.label == "[1]"
    assert "list of 3 [1] ->" in repr(edge)


def test_edges_of_a_dict(snap, held):
    edges = list(snap.find(held.options).referents())
    assert {edge.label for edge in edges if edge.kind == "value"} == {
        "['lr']",
        "['name']",
    }
    assert sum(edge.kind == "key" for edge in edges) == 2


def test_weak_edge():
    target = type("Target", (), {})()
    reference = weakref.ref(target)
    partial = leakgraph.snapshot(roots=[reference, target])
    weak = [edge for edge in partial.find(reference).referents() if edge.weak]
    assert [edge.node.address for edge in weak] == [id(target)]
    assert not weak[0].counted


def test_find(snap, held):
    assert snap.find(held).address == id(held)
    # The type is new, so the snapshot has no object of it at this address.
    assert snap.find(type("Fresh", (), {})()) is None


def test_find_takes_a_str_as_an_object(snap):
    node = snap.find(holding.__name__)
    assert node.type_name == "str" and node.address == id(holding.__name__)


TEXTS = ["#", "# a remark", "#ff7700", "#17 ", "#\u0661", "0x", "0xyz", "#1\0"]


@pytest.mark.parametrize("text", TEXTS)
def test_find_takes_a_str_that_only_begins_like_a_selector_as_an_object(text):
    assert leakgraph.snapshot(roots=[TEXTS]).find(text).address == id(text)
    assert leakgraph.snapshot(roots=[holding]).find(text) is None


def test_find_takes_a_str_that_is_a_selector_by_its_address(snap):
    with pytest.raises(leakgraph.ArgumentError, match="selects"):
        snap.find(holding.selector)
    assert snap.find(hex(id(holding.selector))).address == id(holding.selector)


def test_find_wants_the_same_type():
    class First:
        __slots__ = ()

    class Second:
        __slots__ = ()

    first = First()
    snapshot = leakgraph.snapshot()
    node = snapshot.find(first)
    assert node.type_name.endswith("First")
    first.__class__ = Second
    assert snapshot.find(first) is None


def test_find_refuses_another_process(tmp_path, python):
    path = tmp_path / "other.lgs"
    code = "import leakgraph, sys; leakgraph.snapshot().save(sys.argv[1])"
    assert python("-c", code, path).code == 0
    other = leakgraph.load(path)
    with pytest.raises(leakgraph.Error, match="another process"):
        other.find(sys)
    with pytest.raises(leakgraph.Error, match="another process"):
        other.show_refs([])
    assert len(other.select("module:sys")) == 1


def test_find_in_a_loaded_one_of_this_process(snap, held, tmp_path):
    loaded = leakgraph.load(snap.save(tmp_path / "own.lgs"))
    assert loaded.find(held).index == snap.find(held).index
    assert loaded.find(held) == snap.find(held)


def test_select(snap, held):
    node = snap.find(held)
    assert list(snap.select(f"#{node.index}")) == [node]
    assert list(snap.select(f"node:{node.index}")) == [node]
    assert list(snap.select(hex(id(held)))) == [node]
    assert node in list(snap.select(f"type:{node.type_name}"))
    name = f"name:{type(held).__module__}.trainer.losses[0]"
    assert list(snap.select(name)) == [snap.find(held.losses[0])]
    lists = snap.select("type:list")
    assert len(lists) == next(r.count for r in snap.types(None) if r.type == "list")
    assert lists[-1].index > lists[0].index
    assert [n.index for n in lists[3:0:-1]] == [lists[i].index for i in (3, 2, 1)]


def test_select_says_what_is_wrong(snap):
    with pytest.raises(leakgraph.NotFoundError):
        snap.select("type:no.such.Thing")
    with pytest.raises(LookupError):
        snap.select("name:no_such_module.x")
    with pytest.raises(leakgraph.ArgumentError, match="type:"):
        snap.select("what is this")
    with pytest.raises(TypeError):
        snap.select(17)


def test_node_out_of_range(snap):
    with pytest.raises(IndexError, match="There is no node"):
        snap.node(len(snap))
    with pytest.raises(IndexError):
        snap.node(-1)
    with pytest.raises(leakgraph.NotFoundError):
        snap.node("17")
