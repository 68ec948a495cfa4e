"""The stubs match the module; this checks them without mypy, on every Python."""

import ast
import inspect
from collections.abc import Mapping
from pathlib import Path

import pytest

import leakgraph
from leakgraph import (
    _core,
    armed,
    buffers,
    expect,
    queries,
    repeats,
    watch_call,
    watching,
)

STUB = ast.parse(
    (Path(leakgraph.__file__).parent / "_core.pyi").read_text(encoding="utf-8")
)
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}
FUNCTIONS = {node.name: node for node in STUB.body if isinstance(node, ast.FunctionDef)}


def parameters(node):
    arguments = node.args
    names = arguments.posonlyargs + arguments.args
    names += [one for one in (arguments.vararg, arguments.kwarg) if one]
    return [a.arg for a in names], [a.arg for a in arguments.kwonlyargs]


def signature(function):
    found = inspect.signature(function).parameters.values()
    keyword = [p.name for p in found if p.kind is p.KEYWORD_ONLY]
    return [p.name for p in found if p.name not in keyword], keyword


def test_every_public_name_is_in_the_stub():
    public = {name for name in vars(_core) if not name.startswith("_")}
    assert public == {name for name in CLASSES if name[0] != "_"} | {
        name for name in FUNCTIONS if name[0] != "_"
    }
    homes = (armed, buffers, expect, queries, repeats, watch_call, watching)
    modules = {name for module in homes for name in module.__all__}
    later = {"Reference", "Tree", "attach", "cuda", "fleet", "tree"}
    later |= {"LeakError", "LeakWarning"}
    elsewhere = {*later, *modules} - {"uncollected"}
    assert {name for name in dir(leakgraph) if name[0] != "_"} == public | elsewhere


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function(name):
    assert signature(getattr(_core, name)) == parameters(FUNCTIONS[name])
    assert inspect.getdoc(getattr(_core, name))


@pytest.mark.parametrize("name", [name for name in CLASSES if name[0] != "_"])
def test_class(name):
    stubbed = {n.name: n for n in CLASSES[name].body if isinstance(n, ast.FunctionDef)}
    kind = getattr(_core, name)
    assert kind.__module__ in ("leakgraph", "leakgraph._core")
    for method, node in stubbed.items():
        assert hasattr(kind, method), method
        if method.startswith("__"):
            continue
        attribute = inspect.getattr_static(kind, method)
        if any(decorator.id != "overload" for decorator in node.decorator_list):
            assert not callable(attribute), method
        else:
            assert signature(attribute) == parameters(node), method
    own = {n for n in vars(kind) if not n.startswith("_")}
    if not issubclass(kind, (tuple, Exception, Mapping)):
        assert own == {n for n in stubbed if not n.startswith("_")}


def test_package_is_typed():
    assert (Path(leakgraph.__file__).parent / "py.typed").exists()
