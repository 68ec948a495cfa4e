"""A capture trusts the declared members of a C type only as far as they hold
references.
"""

import gc
import importlib.util
import sqlite3
import sys
from pathlib import Path

import pytest

import leakgraph


class Thing:
    pass


@pytest.fixture(scope="module")
def traits(extension):
    return extension("traits")


def labels(snapshot, thing):
    return {
        (edge.label, edge.node.address): edge
        for edge in snapshot.find(thing).referents()
    }


def test_words_that_are_no_objects_are_left_alone(traits):
    name = "name of " + str(len(sys.path) + 10_000)
    kept, borrowed = Thing(), Thing()
    one = traits.Derived(kept, borrowed, name)
    with leakgraph.snapshot() as snapshot:
        edges = labels(snapshot, one)
        assert edges[".kept", id(kept)].traversed
        assert edges[".name", id(name)].counted
        assert set(edges) <= {
            (".kept", id(kept)),
            (".name", id(name)),
            ("__class__", id(traits.Derived)),
        }
        seen = [edge.node.address for edge in edges.values() if edge.traversed]
        assert seen == [id(child) for child in gc.get_referents(one)]
        assert snapshot.find(borrowed).unexplained >= 0


def test_a_class_of_python_derived_from_them(traits):
    class Child(traits.Derived):
        __slots__ = ("own",)

    kept, own = Thing(), Thing()
    one = Child(kept, kept, "name")
    one.own = own
    with leakgraph.snapshot() as snapshot:
        edges = labels(snapshot, one)
    assert (".own", id(own)) in edges
    assert (".kept", id(kept)) in edges
    assert not any(label.startswith(".__") for label, _ in edges)


def test_a_table_of_members_at_an_odd_address(extension, python):
    """The compiler's check of alignment traps. One function reads all such tables."""
    root = Path(__file__).parents[2]
    check = ("-fsanitize=alignment", "-fsanitize-undefined-trap-on-error")
    header = root / "pyext/capture/common/members.h"
    module = extension("odd_members", "-include", header, *check)
    folder = Path(module.__file__).parent
    code = "import odd_members; print(odd_members.names())"
    done = python("-c", code, PYTHONPATH=str(folder))
    assert (done.code, done.out) == (0, "['first', 'second']\n"), done.err
    texts = {
        path: path.read_text(encoding="utf-8") for path in root.glob("pyext/**/*.[ch]")
    }
    found = [path.name for path, text in texts.items() if "->tp_members" in text]
    assert found == ["members.h"]


def test_a_connection_does_not_own_the_errors_it_declares():
    connection = sqlite3.connect(":memory:")
    with leakgraph.snapshot() as snapshot:
        assert all(
            snapshot.find(error).unexplained >= 0
            for error in (sqlite3.Error, sqlite3.DatabaseError, sqlite3.DataError)
        )
    connection.close()


@pytest.mark.libraries
def test_traits_compiled_by_mypyc(python):
    assert importlib.util.find_spec("mypy"), "install mypy for this test"
    done = python("-c", "import mypy.build, leakgraph; leakgraph.snapshot()")
    assert done.code == 0, done.err
