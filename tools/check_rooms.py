"""Checks the calls between the rooms of rooms.cmake, from the compiled files.

A prototype may lie in one room and the body in another, so the includes do not show who
calls whom. This reads the names that each object file defines and uses:

- A room uses only itself and the rooms before it.
- The files of a room call each other in no circle.
- A function that files share has a client in another room, two in its own (its own file
  may be one of them), or a test. Otherwise it is static in its client's file, unless
  its own file serves only that one, and both together have more than 900 lines. LAYERS
  lists other files that stay apart; ONE_CLIENT says how many such functions each other
  room has: no room gets more.
- A function that a header declares has a client: another file calls it, or names it in
  code for other builds.
- A file of any room has two clients, or one in another room or a test. SORTS says which
  files serve one file and stay, and a file stays if both have more than 900 lines.
- docs/internals.md has a row for each room, in this order.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

import rooms
import tracked

OBJECT = re.compile(
    r"(libgraph|export|pyext|tests)/(?:\w+/)*CMakeFiles/[\w-]+\.dir/(.*\.c)\.o"
)
WORD = re.compile(r"\blg__\w+")
BODY = re.compile(r"^[ \t].*", re.MULTILINE)
ROW = re.compile(r"^\| `([\w/]+)/` \| (.*?) \|$", re.MULTILINE)

#: Names of a later room that an earlier one may use, and why.
UPWARD = {
    "lg_question_at": "the list of all questions is a table, and names all rooms",
}


#: How many functions of a room one file of it calls, and no other: the interface of a
#: noun that more files use. All other rooms have none.
ONE_CLIENT = {
    "export/command": 11,
    "export/formats": 2,
    "export/page": 4,
    "export/pick": 1,
    "libgraph/src/analysis": 4,
    "libgraph/src/answers": 4,
    "libgraph/src/build": 10,
    "libgraph/src/findings": 8,
    "libgraph/src/growth": 38,
    "libgraph/src/native": 14,
    "libgraph/src/paths": 5,
    "libgraph/src/report": 3,
    "pyext/attach": 12,
    "pyext/binding/answers": 2,
    "pyext/binding/objects": 8,
    "pyext/bytes/libraries": 1,
    "pyext/bytes/torch": 5,
    "pyext/capture/run": 2,
    "pyext/capture/walk": 23,
    "pyext/heap": 2,
}
#: Files with such functions that stay apart, because they hold a noun of their own.
LAYERS = (
    "export/render/graphviz.c",
    "export/render/worker.c",
    "libgraph/src/cycles/cut.c",
    "libgraph/src/cycles/shortest_cycle.c",
    "libgraph/src/file/saved.c",
    "libgraph/src/file/section.c",
    "libgraph/src/file/sink.c",
    "libgraph/src/graph/texts.c",
    "libgraph/src/table/fit.c",
)


#: Files that one other file of their room uses, and that stay files of their own: what
#: each is one of. Any other is folded into its client, if both fit into MOST_LINES.
SORTS = {
    "export/command/completion.c": "a shell's side of the command",
    "export/page/*.c": "a section of the report",
    "export/render/*.c": "a side of a pipe, or of Graphviz",
    "libgraph/src/analysis/*.c": "a step of the dominators",
    "libgraph/src/findings/matches.c": "what detectors found, before it is weighed",
    "libgraph/src/native/*.c": "a step of the rule for native memory",
    "pyext/attach/*.c": "a part that runs in the other process, or knows its layout",
}
MOST_LINES = 900


@dataclass
class Calls:
    """Which file defines a name, and which files use it."""

    home: dict[str, str] = field(default_factory=dict)
    functions: set[str] = field(default_factory=set)
    clients: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    used_at_home: set[str] = field(default_factory=set)

    def between(self) -> dict[str, set[str]]:
        """Return the files that each file uses."""
        used: dict[str, set[str]] = defaultdict(set)
        for name, clients in self.clients.items():
            home = self.home.get(name)
            for client in clients:
                if home not in (None, client):
                    used[client].add(str(home))
        return used


def source_of(build: Path, path: Path) -> str | None:
    """Return the source of an object file; None if it is none of the project."""
    match = OBJECT.fullmatch(str(path.relative_to(build)))
    if match is None:
        return None
    folder = str(path.relative_to(build)).partition("/CMakeFiles/")[0]
    return f"{folder}/{match[2]}"


def read(root: Path, build: Path) -> Calls:
    """Read the object files of all sources that exist."""
    sources = {str(path) for path in tracked.files(root, ".c")}
    objects = {str(path): source_of(build, path) for path in build.rglob("*.c.o")}
    objects = {path: source for path, source in objects.items() if source in sources}
    calls = Calls()
    listed = subprocess.run(
        ["nm", "-A", "--extern-only", "--format=posix", *sorted(objects)],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    for line in listed.splitlines() if objects else ():
        path, _, rest = line.partition(": ")
        name, kind = rest.split()[:2]
        source = str(objects[path])
        if kind == "U":
            calls.clients[name].add(source)
        elif not source.startswith("tests/"):
            calls.home[name] = source
            if kind == "T":
                calls.functions.add(name)
    for path in sorted(set(calls.home.values())):
        bodies = BODY.findall((root / path).read_text("utf-8"))
        words = set(WORD.findall("\n".join(bodies)))
        calls.used_at_home |= {word for word in words if calls.home.get(word) == path}
    return calls


def place(path: str) -> tuple[str, int] | None:
    """Return the part and the rank of the room of a file."""
    for part in rooms.ALL:
        rank = part.room_of(path.removeprefix(part.base))
        if path.startswith(part.base) and rank is not None:
            return part.base, rank
    return None


def upward(calls: Calls) -> Iterator[str]:
    """Yield each use of a room that comes later."""
    for name, clients in sorted(calls.clients.items()):
        home = place(calls.home.get(name, ""))
        for client in sorted(clients):
            here = place(client)
            later = home and here and home[0] == here[0] and home[1] > here[1]
            if later and name not in UPWARD:
                yield f"{client} uses {name} of {calls.home[name]}, a later room"


def circles(used: dict[str, set[str]]) -> Iterator[frozenset[str]]:
    """Yield the largest sets of files that all use each other, on some way."""
    reached = {path: reach(used, path) for path in used}
    seen: set[str] = set()
    for path in sorted(used):
        if path in seen:
            continue
        members = {p for p in reached[path] if path in reached.get(p, ())}
        seen |= members
        if len(members) > 1:
            yield frozenset(members)


def reach(used: dict[str, set[str]], path: str) -> set[str]:
    """Return all files that a file uses, on any way."""
    found: set[str] = set()
    waiting = [path]
    while waiting:
        for other in used.get(waiting.pop(), ()):
            if other not in found:
                found.add(other)
                waiting.append(other)
    return found


def round_about(used: dict[str, set[str]]) -> Iterator[str]:
    """Yield each circle."""
    for one in sorted(circles(used), key=sorted):
        yield f"{min(one)}: calls in a circle: {', '.join(sorted(one))}"


def lonely(
    calls: Calls,
    most: Mapping[str, int],
    layers: Iterable[str],
    large: Collection[str] = (),
) -> Iterator[str]:
    """Yield the functions with one client, of rooms that have too many of them.

    The files `large` would make their one client too long.
    """
    needed = set()
    found: dict[str, list[str]] = defaultdict(list)
    for name in sorted(calls.functions):
        home, clients = calls.home[name], calls.clients.get(name, set())
        folder = str(Path(home).parent)
        if not name.startswith("lg__") or len(clients) != 1:
            continue
        if name in calls.used_at_home or home in large:
            continue
        client = next(iter(clients))
        if str(Path(client).parent) != folder:
            continue
        if home in layers:
            needed.add(home)
        else:
            found[folder].append(
                f"{home}: {name} has one client, {client}: make it static there"
            )
    for folder, problems in sorted(found.items()):
        allowed = most.get(folder, 0)
        if len(problems) > allowed > 0:
            count = len(problems)
            yield f"{folder}: {count} functions have one client, and {allowed} may"
        yield from problems if len(problems) > allowed else ()
    for path in sorted(set(layers) - needed):
        yield f"LAYERS has {path}, which needs no exception"


def unshared(root: Path, calls: Calls) -> Iterator[str]:
    """Yield the functions that headers declare and no other file names."""
    texts = {
        str(path): set(WORD.findall((root / path).read_text("utf-8")))
        for path in (*tracked.files(root, ".c"), *tracked.files(root, ".h"))
    }
    for name in sorted(calls.functions):
        home = calls.home[name]
        if not name.startswith("lg__") or calls.clients.get(name):
            continue
        named = {path for path, words in texts.items() if name in words} - {home}
        if named and all(path.endswith(".h") for path in named):
            yield f"{home}: no other file calls {name}: make it static"


def servants(calls: Calls) -> dict[str, str]:
    """Return the files whose functions one other file of their room uses, and it."""
    clients: dict[str, set[str]] = defaultdict(set)
    for name in calls.functions:
        clients[calls.home[name]] |= calls.clients.get(name, set())
    single = {home: min(used) for home, used in clients.items() if len(used) == 1}
    return {
        home: client
        for home, client in sorted(single.items())
        if Path(client).parent == Path(home).parent
    }


def too_large(root: Path, calls: Calls) -> set[str]:
    """Return the files with one client in their room that would not fit into it."""
    large = set()
    for home, client in servants(calls).items():
        texts = [(root / path).read_text("utf-8") for path in (home, client)]
        if sum(text.count("\n") for text in texts) > MOST_LINES:
            large.add(home)
    return large


def alone(root: Path, calls: Calls, sorts: Iterable[str]) -> Iterator[str]:
    """Yield the files with one client in their room that would fit into it."""
    needed = set()
    large = too_large(root, calls)
    for home, client in servants(calls).items():
        sort = next((sort for sort in sorts if fnmatch(home, sort)), None)
        if home in large:
            continue
        if sort is None:
            yield f"{home} has one client, {client}: fold it into that file"
        else:
            needed.add(sort)
    for sort in sorted(set(sorts) - needed):
        yield f"SORTS has {sort}, which no file needs"


def rows(root: Path) -> Iterator[str]:
    """Yield the differences between rooms.cmake and the tables of docs/internals.md."""
    text = (root / "docs/internals.md").read_text(encoding="utf-8")
    listed = dict(ROW.findall(text))
    listed = {room: holds for room, holds in listed.items() if holds != "holds"}
    wanted = rooms.described(root)
    for room, holds in wanted.items():
        if listed.get(room) != holds:
            yield f"docs/internals.md: the row of {room}/ is not `{holds}`"
    order = [room for room in listed if room in wanted]
    if order != [room for room in wanted if room in listed]:
        yield "docs/internals.md: the rooms are not in the order of rooms.cmake"


def check(root: Path, build: Path) -> Iterator[str]:
    """Yield every error."""
    calls = read(root, build)
    yield from upward(calls)
    yield from round_about(calls.between())
    yield from lonely(calls, ONE_CLIENT, LAYERS, too_large(root, calls))
    yield from unshared(root, calls)
    yield from alone(root, calls, SORTS)
    yield from rows(root)


if __name__ == "__main__":
    sys.exit(tracked.report("rooms", check(tracked.ROOT, Path(sys.argv[1]).resolve())))
