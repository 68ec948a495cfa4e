"""The edges of an object are those that CPython's collector sees, and other known ones.
Each has its name.
"""

import collections
import functools
import gc

import one_of_each_kind
import pytest
from builds import PUBLIC

import leakgraph

#: Only the internal layouts give these names. With the public method the edges exist
#: under a less specific name.
INTERNAL_ONLY = {
    "instance": {".attribute"},
    "instance_with_its_dict": {".__dict__"},
    "instance_with_replaced_dict": {".__dict__"},
    "slots_and_dict": {".attribute"},
    "list_subclass": {".attribute"},
    "tuple_subclass": {".attribute"},
    "dict_subclass": {".attribute"},
    "frozen_dict_subclass": {".attribute"},
    "set_subclass": {".attribute", "element"},
    "deque_subclass": {".attribute", "[0]"},
    "chain_map": {".maps"},
    "thread": {"._target"},
    "condition": {"._lock"},
    "queue_": {".queue"},
    "finished_frame": {"local local"},
    "suspended_generator": {"local local", "local argument"},
    "new_generator": {"local argument"},
    "delegating_generator": {"local source"},
    "coroutine": {"local argument"},
    "asynchronous_generator": {"local argument"},
}


#: Keeps the tests' objects where every method sees them.
HELD = {}


@pytest.fixture(scope="module")
def snapshot():
    """Take one snapshot of one object of each kind."""
    for name, make in one_of_each_kind.KINDS.items():
        HELD[name] = make()
    yield leakgraph.snapshot()
    HELD.clear()


def named_edges(node):
    """Return labels and addresses of a node's edges; entries of its own dict read as
    attributes.
    """
    found = set()
    for edge in node.referents():
        found.add((edge.label, edge.node.address))
        if edge.kind == "dict":
            for item in edge.node.referents():
                if item.kind == "value":
                    name = "." + item.label[2:-2]
                    found.add((name, item.node.address))
    return found


def test_there_are_many_kinds():
    assert len(one_of_each_kind.KINDS) >= 100


@pytest.mark.parametrize("name", one_of_each_kind.KINDS)
def test_edges_are_those_of_the_collector(name, snapshot):
    thing, _ = HELD[name]
    node = snapshot.find(thing)
    seen = collections.Counter(
        edge.node.address for edge in node.referents() if edge.traversed
    )
    assert seen == collections.Counter(map(id, gc.get_referents(thing)))


@pytest.mark.parametrize("name", one_of_each_kind.KINDS)
def test_edges_have_their_names(name, snapshot):
    thing, expected = HELD[name]
    edges = named_edges(snapshot.find(thing))
    lesser = INTERNAL_ONLY.get(name, set()) if PUBLIC else set()
    for label, referent in expected.items():
        if label not in lesser:
            assert (label, id(referent)) in edges, sorted(edges)


@pytest.mark.parametrize("name", one_of_each_kind.KINDS)
def test_references_are_explained(name, snapshot):
    """A new referent has only the references that the capture finds."""
    if PUBLIC:
        pytest.skip("the public method does not see the frames of this test")
    thing, expected = HELD[name]
    for referent in [thing, *expected.values()]:
        node = snapshot.find(referent)
        assert node.unexplained >= 0 or node.immortal


def test_a_mapping_value_is_named_by_its_key_alone():
    thing, expected = one_of_each_kind.dict_of_str()
    edges = list(leakgraph.snapshot().find(thing).referents())
    assert sorted(edge.kind for edge in edges) == ["key", "value"]
    assert {edge.label for edge in edges} == set(expected)


def test_the_links_of_a_cache_are_numbered_from_the_oldest():
    @functools.lru_cache(maxsize=8)
    def cached(key):
        return [key]

    for number in (0, 1, 2, 0):
        cached(f"key {number}")
    edges = list(leakgraph.snapshot().find(cached).referents())
    labels = [edge.label for edge in edges if edge.kind == "index"]
    if not (PUBLIC and not labels):
        assert labels == ["[0]", "[1]", "[2]"]
    keys = [edge.node.text for edge in edges if edge.kind == "key"]
    assert keys == ["key 1", "key 2", "key 0"]


def test_a_weak_reference_is_weak():
    thing, _ = one_of_each_kind.weak_reference()
    weak = [edge for edge in leakgraph.snapshot().find(thing).referents() if edge.weak]
    assert [edge.kind for edge in weak] == ["referent"]
    assert not weak[0].counted
