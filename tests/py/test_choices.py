"""Each word has one meaning, and the stub lists closed choices exactly."""

import ast
import inspect
from pathlib import Path

import pytest

import leakgraph

STUB = Path(leakgraph.__file__).with_name("_core.pyi")

#: The meanings of functions' parameters, one word for each.
WORDS = {
    "obj": "a live object",
    "target": "what a snapshot is asked about: a selector, nodes, a live object",
    "words": "what a name must have",
    "held_by": "who must hold it",
    "index": "the number of a node",
    "name": "the name of a column",
    "path": "a file to read or write",
    "folder": "where several files go",
    "format": "of a picture, over the suffix",
    "also": "further objects to start from",
    "limit": "rows at most; None for all",
    "by": "what the biggest is the biggest by",
    "group": "what becomes one row",
    "kind": "kinds of cycles",
    "holding": "what cycles retain",
    "device": "one device alone",
    "min_bytes": "what a row has at least",
    "min_share": "the same as a share",
    "max_bytes": "memory of the capture",
    "max_depth": "hops at most",
    "max_nodes": "boxes at most",
    "roots": "what a part of the heap starts from",
    "weak": "follow weak references",
    "types": "draw types",
    "title": "above a picture",
    "retained": "say what would be freed with each object",
    "legend": "below a picture",
    "label": "what to call an object",
    "progress": "who is told how far it is",
    "libraries": "list what libraries keep for themselves",
    "mine": "only what the program's own modules hold",
    "module": "only what modules with such a name hold",
    "baseline": "a file of what is known, which is left out",
    "update_baseline": "add the rest to that file",
    "before": "the first snapshot of several",
    "after": "the last snapshot of several",
    "first": "the snapshot of one process",
    "second": "the snapshot of another process",
    "more": "further snapshots",
    "other": "the snapshot to compare with",
    "earlier": "snapshots before the one that is reported",
    "steps": "how far a program is in each snapshot",
    "unit": "what a step is",
    "settled": "what grew and stopped, too",
    "other_programs": "compare snapshots of different programs",
    "samples": "memory over time, as watch writes it",
    "cut": "references to leave out",
    "query": "a statement of SQL",
    "tables": "snapshots by the names of their tables",
    "work": "what is called again and again",
    "calls": "how often",
    "warmup": "how often before the first snapshot",
    "rounds": "how many snapshots",
    "every": "seconds between snapshots",
    "budget": "share of the time that they may take",
    "traces": "where objects were allocated",
    "allocations": "keep which lines allocated each object",
    "on_leak": "what to do when something grows",
    "previews": "keep texts of values",
    "keys": "keep keys of dicts",
    "contents": "find out which are equal",
    "native": "list the memory of C code, too",
    "compress": "level of zstd",
    "analysis": "save the analysis too",
    "fork": "let a child do it",
    "pid": "the number of a process",
    "method": "how the process is asked",
    "filtered": "although a filter may end it",
    "spill": "keep what a child needs on disk",
    "hold": "stop until the child is done",
    "timeout": "seconds without progress",
    "signal": "save a snapshot on it",
    "on_oom": "save one when memory runs out",
    "rss": "save one at this use of memory",
    "at_exit": "save one at the exit",
    "keep": "files to keep",
    "on_saved": "called with each",
    "type": "whose instances keep memory elsewhere",
    "member": "where the address is",
    "offset": "the same as a number",
    "length": "how many bytes",
    "buffer_protocol": "take what it exports",
    "reader": "a function that knows",
}


def parameters():
    """List (function, parameter) of everything public that programs call."""
    named = [(name, getattr(leakgraph, name)) for name in leakgraph.__all__]
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


def test_each_word_is_known():
    assert {word for _, word in parameters()} == set(WORDS)


def signatures(owner):
    """Map each public function of a module or class to its parameters."""
    names = (n for n in dir(owner) if not n.startswith("_"))
    found = {n: getattr(owner, n) for n in names}
    return {
        name: inspect.signature(function).parameters
        for name, function in found.items()
        if callable(function) and not isinstance(function, type)
    }


#: Answers that have all their rows unless somebody limits them: trees.
WHOLE = {"threads"}
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
