"""Functions are alike, and the stub lists closed choices exactly."""

import ast
import inspect
from pathlib import Path

import pytest

import leakgraph

STUB = Path(leakgraph.__file__).with_name("_core.pyi")


def parameters():
    """List (function, parameter) of everything public that programs call."""
    named = [(name, getattr(leakgraph, name)) for name in dir(leakgraph)]
    named = [(n, f) for n, f in named if callable(f) and not isinstance(f, type)]
    methods = [n for n in dir(leakgraph.Snapshot) if not n.startswith("_")]
    for name in methods:
        method = getattr(leakgraph.Snapshot, name)
        if callable(method):
            named.append((f"Snapshot.{name}", method))
    for name, function in named:
        for parameter in inspect.signature(function).parameters:
            if parameter not in ("self", "args"):
                yield name, parameter


def signatures(owner):
    """Map each public function of a module or class to its parameters."""
    names = (n for n in dir(owner) if not n.startswith("_"))
    found = {n: getattr(owner, n) for n in names}
    return {
        name: inspect.signature(function).parameters
        for name, function in found.items()
        if callable(function) and not isinstance(function, type)
    }


#: Answers that have all their rows unless somebody limits them: a tree, and mistakes
#: to mend.
WHOLE = {"threads", "findings"}
#: Arguments that a function has and its method lacks: how it takes the snapshot.
OF_THE_CAPTURE = {"contents"}
#: What differs by nature: a function that compares takes one snapshot more.
DIFFERENT = {"diff"}
#: Functions that take an object, and methods of that name that take a target.
OF_AN_OBJECT = {"obj", "target"}


@pytest.mark.parametrize("owner", [leakgraph, leakgraph.Snapshot])
def test_limits_and_progress_are_alike(owner):
    seen = set()
    for name, taken in signatures(owner).items():
        words = [word for word in taken if word != "self"]
        if "limit" in taken:
            limit = taken["limit"]
            first = words[0] == "limit"
            assert limit.default == (None if name in WHOLE else 20), name
            assert limit.kind is (
                limit.POSITIONAL_OR_KEYWORD if first else limit.KEYWORD_ONLY
            ), name
        if "progress" in taken:
            progress = taken["progress"]
            assert progress.kind is progress.KEYWORD_ONLY, name
            assert progress.default is None, name
        if "target" in taken and name != "select":
            target = taken["target"]
            assert target.kind is target.POSITIONAL_OR_KEYWORD, name
        seen |= {word for word in ("limit", "progress", "target") if word in taken}
    assert seen == {"limit", "progress", "target"}


#: What may follow the first argument without its name: the file of a picture, the
#: folder of snapshots, and the text that says which object is meant.
SECOND = {"path", "folder", "label"}


def owners():
    """Yield the module and its classes, but for those that extend a builtin."""
    yield leakgraph
    for name in dir(leakgraph):
        one = getattr(leakgraph, name)
        if isinstance(one, type) and not issubclass(one, (int, dict, BaseException)):
            yield one


def test_only_what_comes_first_needs_no_name():
    seen = set()
    for owner in owners():
        for name, taken in signatures(owner).items():
            later = [one for one in taken.values() if one.name != "self"][1:]
            seen |= {
                (name, one.name)
                for one in later
                if one.kind is one.POSITIONAL_OR_KEYWORD and one.name not in SECOND
            }
    assert seen == set()


def test_a_function_takes_what_its_method_takes():
    functions, methods = signatures(leakgraph), signatures(leakgraph.Snapshot)
    both = (functions.keys() & methods.keys()) - DIFFERENT
    assert {"top", "paths", "retained", "what_if", "why"} <= both
    for name in both:
        own = functions[name].values()
        taken = [one for one in own if one.name not in OF_THE_CAPTURE]
        asked = [one for one in methods[name].values() if one.name != "self"]
        assert len(taken) == len(asked), name
        for one, other in zip(taken, asked):
            assert one.name == other.name or {one.name, other.name} == OF_AN_OBJECT, (
                name
            )
            assert (one.kind, one.default) == (other.kind, other.default), (name, one)


#: Functions that take a snapshot and ask it about any target.
ASK = {"dominators", "paths", "retained"}


def test_objects_are_targets_of_snapshots_only():
    for name, word in parameters():
        is_method = name.startswith("Snapshot.") and name != "Snapshot.find"
        assert word != "obj" or not is_method, name
        assert word != "target" or is_method or name in ASK, name


def choices():
    """Map aliases of the stub to their literals."""
    found = {}
    for line in ast.parse(STUB.read_text(encoding="utf-8")).body:
        if isinstance(line, ast.Assign) and isinstance(line.value, ast.Subscript):
            texts = [n.value for n in ast.walk(line.value) if type(n) is ast.Constant]
            found[line.targets[0].id] = texts
    return found


@pytest.fixture(scope="module")
def snapshot():
    return leakgraph.snapshot()


def test_kinds_of_edges_and_roots(snapshot):
    known = choices()
    assert {edge.kind for edge in snapshot.edges[:20000]} <= set(known["_EdgeKind"])
    assert {root.kind for root in snapshot.roots} <= set(known["_RootKind"])


def test_columns(snapshot):
    for name in choices()["_Column"]:
        assert len(snapshot.column(name)) >= 0
    with pytest.raises(leakgraph.Error, match="shape"):
        snapshot.column("shape")


def test_kinds_of_cycles(snapshot):
    kinds = choices()["_CycleKind"]
    assert list(snapshot.cycles(kind=kinds).kinds) == kinds
    for kind in kinds:
        snapshot.cycles(kind=kind)


def test_types_by(snapshot):
    for by in ("size", "count", "type"):
        assert len(snapshot.types(by=by, limit=3)) == 3
    with pytest.raises(leakgraph.ArgumentError, match="by takes size, count or type"):
        snapshot.types(by="bytes")
