"""Ways to name objects, and the functions of the module that ask a new snapshot."""

import pydoc
import re
import sys

import holding
import pytest

import leakgraph

pytestmark = pytest.mark.ends

MIB = 1 << 20


class Document:
    """Has a class of its own."""


class Shelf:
    """Holds documents, and data that only it holds."""

    def __init__(self):
        self.documents = [Document() for _ in range(5)]
        self.data = bytearray(2 * MIB)


shelf = Shelf()
loose = Document()
PLACE = f"{__name__}.shelf"


@pytest.fixture(scope="module")
def graph():
    return leakgraph.snapshot()


def test_names_and_objects_are_keys(graph):
    node = graph.find(shelf)
    assert graph[shelf] == graph[PLACE] == graph[f"name:{PLACE}"] == graph[node] == node
    assert graph[f"#{node.index}"] == node
    for key in (object(), f"{PLACE}.nothing", f"{__name__}.nothing"):
        with pytest.raises(leakgraph.NotFoundError):
            graph[key]


def test_objects_are_in_a_snapshot(graph):
    assert shelf in graph and PLACE in graph and graph.find(shelf) in graph
    assert object() not in graph and f"{PLACE}.nothing" not in graph
    with pytest.raises(TypeError):
        iter(graph)


def test_find_takes_a_selector(graph):
    assert graph.find(f"name:{PLACE}") == graph.find(shelf)
    with pytest.raises(leakgraph.ArgumentError, match=r"6 objects: select\(\)"):
        graph.find(f"type:{__name__}.Document")
    with pytest.raises(leakgraph.NotFoundError):
        graph.find(f"name:{PLACE}.nothing")


def test_select_takes_a_class(graph):
    found = graph.select(Document)
    assert {node.address for node in found} == {
        id(one) for one in (*shelf.documents, loose)
    }
    assert list(graph.select(shelf)) == [graph.find(shelf)]
    assert len(graph.select([shelf, loose])) == 2


def test_select_filters(graph):
    (big,) = graph.select(Shelf, min_bytes="1 MiB")
    assert big.address == id(shelf)
    assert not len(graph.select(Document, min_bytes="1 MiB"))
    held = graph.select(Document, held_by=f"name:{PLACE}")
    assert {node.address for node in held} == {id(one) for one in shelf.documents}
    assert not len(graph.select(Shelf, held_by=shelf))
    assert len(graph.select(Document, module=__name__)) == 6
    assert not len(graph.select(Document, module="json"))


def by_hand(graph, nodes, holder):
    kept = []
    for node in nodes:
        owner = node.dominator
        while owner is not None and owner != holder:
            owner = owner.dominator
        if owner is not None:
            kept.append(node)
    return kept


def test_held_by_is_what_the_holder_dominates(graph):
    module = graph["name:leakgraph"]
    for selector in ("type:dict", "type:function"):
        found = list(graph.select(selector, held_by=module))
        assert found == by_hand(graph, graph.select(selector), module)


def test_retained_adds_up_objects(graph):
    together = graph.retained([shelf, loose])
    assert together == graph.retained([graph[shelf], graph[loose]])
    assert graph.retained(shelf) < together
    assert graph.retained((shelf, shelf.data)) == graph.retained(shelf)
    # A list of the program is an object like any other.
    assert graph.retained(shelf.documents) == graph[shelf.documents].retained


def test_a_type_is_equal_to_its_name(graph):
    node = graph[shelf]
    assert node.type == node.type_name == f"{__name__}.Shelf"
    assert node.type != "dict" and node != node.type_name
    assert graph[holding.trainer.options].type == "dict"


def test_a_node_explains_itself(graph):
    node = graph[shelf.data]
    assert node.name == node.label and str(node.path) == f"{PLACE}.data"
    assert node.why().retained == node.retained
    phases = []
    node.why(progress=lambda phase, done: phases.append((phase, done)))
    assert phases[-1] == ("done", 1.0)
    with pytest.raises(TypeError):
        node.why(node)
    html = node._repr_html_()
    assert "bytearray" in html and f"{PLACE}.data" in html and "2.00 MiB" in html


def test_dominators_of_a_module(graph):
    some = graph.dominators(module=__name__)
    assert some.rows == graph.analyze(module=__name__).rows
    assert len(some) < len(graph.dominators())


def test_a_list_that_is_made_for_the_call_stands_for_its_items():
    # An assert would keep the list in a variable of its own.
    alone, together = leakgraph.retained(shelf), leakgraph.retained([shelf, loose])
    assert together > alone >= 2 * MIB
    held = [shelf, loose]
    assert leakgraph.retained(held) == sys.getsizeof(held)


def test_functions_ask_a_new_snapshot():
    assert leakgraph.retained(shelf) >= 2 * MIB
    assert "Document" in str(leakgraph.paths(f"type:{__name__}.Document"))
    assert leakgraph.what_if(f"{PLACE}.data").nodes
    assert len(leakgraph.threads()) and len(leakgraph.dominators())
    assert leakgraph.info()["pid"] > 1
    with pytest.raises(TypeError):
        leakgraph.threads("MainThread")


def test_info_has_numbers(graph):
    info = graph.info()
    assert isinstance(info["memory.rss"], leakgraph.Size) and info["memory.rss"] > MIB
    assert info["process.threads"] >= 1 and isinstance(info["python"], str)


def test_all_public_names_are_listed():
    listed = dir(leakgraph)
    assert {"Path", "watch", "cuda", "__version__", *leakgraph.__all__} <= set(listed)
    assert not {"TYPE_CHECKING", "armed", "load_ipython_extension"} & set(listed)
    assert all(hasattr(leakgraph, name) for name in listed)


def test_help_begins_with_what_it_goes_on_with():
    text = pydoc.plain(pydoc.render_doc(leakgraph))
    screen, _, rest = text.partition("PACKAGE CONTENTS")
    order = ["NAME", "DESCRIPTION", "PACKAGE CONTENTS", "FUNCTIONS", "DATA"]
    assert re.findall(r"^([A-Z][A-Z ]+)$", text, re.M)[: len(order)] == order
    assert screen.count("\n") < 40 and rest.count("\n") < 320
    assert set(re.findall(r"leakgraph\.(\w+)\(", screen)) == set(leakgraph.__all__)
    assert "help(leakgraph.why)" in screen and "dir(leakgraph)" in screen


def test_every_name_has_help_of_its_own():
    names = [name for name in dir(leakgraph) if name[0] != "_"]
    assert all(pydoc.getdoc(getattr(leakgraph, name)) for name in names)


def test_a_prompt_shows_the_report(graph):
    class Printer:
        def text(self, shown):
            self.shown = shown

    printer = Printer()
    for answer in (graph.top(3), graph.why(shelf), graph.memory()):
        answer._repr_pretty_(*(printer, False))
        assert printer.shown == repr(answer) == str(answer).rstrip("\n")
        assert "0 rows" not in printer.shown
    lines = repr(graph.types(limit=100)).splitlines()
    assert len(lines) == 61 and lines[-1] == "... print() shows all of it"
