"""Finds out what leakgraph does to a process that uses a package, and what it sees.

    python release/package_probe.py PACKAGE ANSWER.json <CODE

`make packages` runs it in the environment of the package, with PYTHONMALLOC=malloc. It
runs the code, captures, compares the process before and after, and asks all questions.
It lists errors under "wrong". The caller notices a crash or a hang.
"""

from __future__ import annotations

import collections
import ctypes
import gc
import importlib
import json
import os
import re
import sys
import tempfile
import threading
import types
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import leakgraph

IMMORTAL, SYNTHETIC, CPP = 1 << 2, 1 << 3, 1 << 8
OURS = ("leakgraph", "__main__", "importlib.metadata")
MIB = 1 << 20
#: Captures may add at most this to the memory of the process.
MOST_GROWTH = 16 * MIB


class MallInfo(ctypes.Structure):
    """The struct that mallinfo2() fills."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in [
            *("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks"),
            *("uordblks", "fordblks", "keepcost"),
        ]
    ]


def malloc_says() -> MallInfo:
    """Read the account of the C library's allocator."""
    function = ctypes.CDLL(None).mallinfo2
    function.restype = MallInfo
    answer: MallInfo = function()
    return answer


def anonymous() -> int:
    """Count resident bytes that belong to no file."""
    total, nameless = 0, False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        if re.match(r"[0-9a-f]+-[0-9a-f]+ ", line):
            parts = line.split(maxsplit=5)
            nameless = len(parts) < 6 or parts[5] == "[heap]"
        elif nameless and line.startswith("Anonymous:"):
            total += int(line.split()[1]) << 10
    return total


def allocated() -> int:
    """Count the bytes that malloc has given out, and those from the system itself."""
    info = malloc_says()
    others = anonymous() - info.arena - info.hblkhd
    return int(info.uordblks + info.hblkhd + max(others, 0))


def chunk(size: int) -> int:
    """Compute what malloc spends on a block."""
    return max(32, (size + 8 + 15) & ~15)


def seen(snapshot: leakgraph.Snapshot) -> int:
    """Sum what malloc spends on all that the snapshot has a size for."""
    flags = snapshot.column("node_flags")
    total = 0
    for node, size in enumerate(snapshot.column("size")):
        if size == 0xFFFFFFFF:
            size = snapshot.node(node).size
        if size and not (flags[node] & IMMORTAL and size < 64):
            total += chunk(size)
    return total


def resident() -> int:
    """Count bytes of this process in memory that no file backs."""
    text = Path("/proc/self/status").read_text()
    found = re.search(r"RssAnon:\s+(\d+)", text)
    return int(found[1]) << 10 if found else 0


class State:
    """The references to all objects that the collector tracks, and their dicts."""

    def __init__(self) -> None:
        self.things = gc.get_objects()
        self.dicts = bytearray(map(has_dict, self.things))
        self.counts = [sys.getrefcount(thing) for thing in self.things]
        self.modules = set(sys.modules)

    def changes(self) -> collections.Counter[str]:
        """Count what differs by now, by kind of change."""
        found: collections.Counter[str] = collections.Counter()
        counts = [sys.getrefcount(thing) for thing in self.things]
        for thing, before, now in zip(self.things, self.counts, counts):
            if before != now:
                found[f"references to {named(thing)}"] += 1
        for thing, before in zip(self.things, self.dicts):
            if before != has_dict(thing):
                found[f"__dict__ of {named(thing)}"] += 1
        known = set(map(id, self.things)) | {id(self.things), id(counts), id(found)}
        for thing in gc.get_objects():
            if id(thing) not in known and type(thing) is not types.FrameType:
                found[f"new {named(thing)}"] += 1
        for name in set(sys.modules) - self.modules:
            found[f"import of {name}"] += 1
        self.things.clear()  # this State is one of them
        return found


def has_dict(thing: object) -> bool:
    """Whether its __dict__ exists; this does not make it."""
    return any(type(referent) is dict for referent in gc.get_referents(thing))


def named(thing: object) -> str:
    """Name its type, or the class that it is, without asking the object itself."""
    kind = thing if isinstance(thing, type) else type(thing)
    module = type.__dict__["__module__"].__get__(kind)
    name = type.__dict__["__qualname__"].__get__(kind)
    place = f"{module}.{name}" if isinstance(module, str) else name
    return f"class {place}" if kind is thing else place


def capture() -> None:
    """Take a snapshot and drop it."""
    leakgraph.snapshot().close()


def changed(work: Callable[[], object]) -> collections.Counter[str]:
    """Count what some work changes, except this function's own objects."""
    state = State()
    work()
    return state.changes()


def changes_by_capture() -> dict[str, int]:
    """Count what the first capture changes.

    Threads of the package cause changes even without a capture: these do not count. The
    interpreter tracks some empty dicts of its own after a thread or an import used
    them, so a thread and an import come first.
    """
    worker = threading.Thread(target=int)
    worker.start()
    worker.join()
    importlib.reload(importlib.import_module("keyword"))
    noise = changed(lambda: None)
    found = changed(capture) - noise
    if found:
        found -= changed(lambda: None)
    return dict(found)


def parts_of(package: str) -> set[str]:
    """List the names of the modules at the top of a package."""
    try:
        files = metadata.files(package) or []
    except metadata.PackageNotFoundError:
        return set()
    tops = {str(file).split("/")[0] for file in files}
    return {re.sub(r"(\.cpython.*|\.abi3)?\.(so|py)$", "", top) for top in tops}


def compiled(package: str) -> int:
    """Count its shared objects."""
    return sum(".so" in Path(str(f)).suffixes for f in metadata.files(package) or [])


def own_nodes(snapshot: leakgraph.Snapshot, package: str) -> Iterator[int]:
    """List instances of the package's types."""
    parts = parts_of(package)
    kinds: dict[int, bool] = {}
    for node, kind in enumerate(snapshot.column("type")):
        if kind not in kinds:
            name = snapshot.node(node).type_name
            kinds[kind] = "." in name and name.split(".")[0] in parts
        if kinds[kind]:
            yield node


def references(snapshot: leakgraph.Snapshot, package: str) -> dict[str, int]:
    """Count the package's instances, and those whose references have all been found."""
    flags, found = snapshot.column("node_flags"), snapshot.column("found")
    counts = snapshot.column("refcount")
    own = [n for n in own_nodes(snapshot, package) if not flags[n] & (SYNTHETIC | CPP)]
    mortal = [node for node in own if not flags[node] & IMMORTAL]
    return {
        "own": len(own),
        "explained": len(own) - sum(counts[node] > found[node] for node in mortal),
    }


def too_many_edges(snapshot: leakgraph.Snapshot) -> collections.Counter[str]:
    """List types of objects with more edges to them than references."""
    flags, found = snapshot.column("node_flags"), snapshot.column("found")
    return collections.Counter(
        snapshot.node(node).type_name
        for node, count in enumerate(snapshot.column("refcount"))
        if count < found[node] and not flags[node] & (IMMORTAL | SYNTHETIC | CPP)
    )


def wrong_sums(snapshot: leakgraph.Snapshot) -> str:
    """Say where retained sizes do not add up to the whole, or ""."""
    whole = tops = 0
    for node in filter(lambda node: node.is_reachable, snapshot.nodes):
        whole += node.size
        if node.dominator is None:
            tops += sum(node.retained.values())
    return "" if whole == tops else f"retained sizes sum to {tops}, sizes to {whole}"


def ask_everything(snapshot: leakgraph.Snapshot, kept: list[object]) -> None:
    """Ask for all answers, as text, and for a file."""
    answers: list[object] = [snapshot.top(), snapshot.cycles(), snapshot.findings()]
    answers += [snapshot.memory(), snapshot.tensors(), snapshot.figures()]
    answers += [snapshot.types(), snapshot.threads(), snapshot.info()]
    for thing in kept[:8]:
        node = snapshot.find(thing)
        if node is not None:
            answers += [snapshot.why(node), snapshot.show_refs(node)]
    for answer in answers:
        str(answer)
    with tempfile.TemporaryDirectory() as folder:
        path = snapshot.save(Path(folder) / "a.lgs")
        if len(leakgraph.load(path)) != len(snapshot):
            raise leakgraph.Error("the file has another number of nodes")


def exercise(code: str) -> types.ModuleType:
    """Run the code in a module of its own."""
    module = types.ModuleType("exercised")
    sys.modules["exercised"] = module
    exec(compile(code, "<exercised>", "exec"), module.__dict__)
    return module


def growth(work: Callable[[], object]) -> int:
    """Measure what repeating some work adds to the memory of the process."""
    before = resident()
    for _ in range(4):
        work()
    return resident() - before


def looked_at(module: types.ModuleType, package: str, base: tuple[int, int]) -> Any:
    """Make the answer, as the file has it."""
    gc.collect()
    gc.disable()
    spent = allocated() - base[0]
    first = changes_by_capture()
    added = growth(capture)
    snapshot = leakgraph.snapshot()
    wrong = [f"a capture changes {what} ({n})" for what, n in first.items()]
    if added > MOST_GROWTH:
        wrong.append(f"captures add {added // MIB} MiB to the process")
    excess = too_many_edges(snapshot)
    wrong += [f"more edges than references: {kind} ({n})" for kind, n in excess.items()]
    wrong += list(filter(None, [wrong_sums(snapshot)]))
    if not snapshot.method.startswith("internal"):
        wrong.append(f"captured by {snapshot.method}")
    ask_everything(snapshot, list(vars(module).values()))
    return {
        "version": metadata.version(package),
        "compiled": compiled(package),
        "nodes": len(snapshot),
        "edges": len(snapshot.edges),
        **references(snapshot, package),
        "spent": spent,
        "seen": seen(snapshot) - base[1],
        "growth": added,
        "noted": [
            f"{key}: {value}"
            for key, value in snapshot.info().items()
            if "not inspected" in str(value)
        ],
        "wrong": wrong,
    }


def main() -> None:
    """Write the findings and end at once, because libraries may fail at exit."""
    package, answer = sys.argv[1:]
    capture()
    gc.collect()
    with leakgraph.snapshot() as before:
        base_seen = seen(before)
    base = (allocated(), base_seen)
    module = exercise(sys.stdin.read())
    report = looked_at(module, package, base)
    Path(answer).write_text(json.dumps(report), encoding="utf-8")
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
