"""The cost of importing leakgraph, and what the import loads."""

import ast
import json
import re
from pathlib import Path

import pytest
from builds import FREE_THREADED

import leakgraph


def test_nothing_heavy_is_loaded(python):
    code = (
        "import sys, json; before = set(sys.modules); import leakgraph;"
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    done = python("-I", "-c", f"import sys; sys.path[:0] = {path()!r}; {code}")
    assert json.loads(done.out) == ["leakgraph", "leakgraph._core"]


def test_no_library_of_graphviz_or_igraph_is_mapped(python):
    code = "import leakgraph; print(open('/proc/self/maps').read())"
    maps = python("-c", code).out
    assert "_core" in maps
    for library in ("libgvc", "libcgraph", "libigraph", "leakgraph-render"):
        assert library not in maps


@pytest.mark.skipif(FREE_THREADED, reason="only the collector counts its classes")
def test_no_garbage_is_left(python):
    code = (
        "import gc; gc.collect(); gc.disable(); import leakgraph;"
        "gc.set_debug(gc.DEBUG_SAVEALL); gc.collect(); print(gc.garbage)"
    )
    assert python("-c", code).out == "[]\n"


@pytest.mark.skipif(FREE_THREADED, reason="only the collector counts its classes")
def test_cycles_show_nothing_of_leakgraph(python):
    code = (
        "import gc; gc.disable(); import leakgraph; found = leakgraph.cycles();"
        "print(found); print([str(edge) for cycle in found for edge in cycle.edges])"
    )
    done = python("-c", code)
    assert done.code == 0, done.err
    assert "leakgraph" not in done.out
    assert "SelfCheck" not in done.out


def test_run_loads_little(python):
    code = (
        "import sys, json; before = set(sys.modules); import leakgraph.run;"
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    loaded = set(json.loads(python("-c", code).out))
    assert not loaded & {"typing", "argparse", "inspect", "shutil", "subprocess"}


def named(body):
    """The names that statements give when they run, not only for types."""
    for each in body:
        if isinstance(each, (ast.FunctionDef, ast.ClassDef)):
            yield each.name
        elif isinstance(each, (ast.Import, ast.ImportFrom)):
            yield from (one.asname or one.name for one in each.names)
        elif isinstance(each, (ast.Assign, ast.AnnAssign)):
            yield from (one.id for one in ast.walk(each) if isinstance(one, ast.Name))
        else:
            types = (
                isinstance(each, ast.If) and ast.unparse(each.test) == "TYPE_CHECKING"
            )
            yield from named([] if types else getattr(each, "body", []))
            yield from named(getattr(each, "orelse", []))


@pytest.mark.once
def test_each_module_has_what_it_lists():
    files = sorted(Path(leakgraph.__file__).parent.glob("*.py"))
    for file in files:
        text = file.read_text("utf-8")
        names = set(named(ast.parse(text).body))
        listed = re.search(r"^__all__ = \[(.*?)\]", text, re.DOTALL | re.MULTILINE)
        missing = set(re.findall(r'"(\w+)"', listed[1] if listed else "")) - names
        assert "__getattr__" in names or not missing, file
    assert len(files) > 20


def path():
    import os

    return [os.path.dirname(os.path.dirname(leakgraph.__file__))]
