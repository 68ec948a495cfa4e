"""The cost of importing leakgraph, and what the import loads."""

import json

import pytest
from builds import FREE_THREADED


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


def path():
    import os

    import leakgraph

    return [os.path.dirname(os.path.dirname(leakgraph.__file__))]
