"""Checks which files include which headers.

The parts of the project see only each other's public headers. A room of a part includes
only itself and the rooms that rooms.cmake lists before it. Debian puts every library's
headers on the compiler's default path, so no compiler option can keep <gvc.h> out of
libgraph. This reads the `#include` lines instead. Header guards hide circles of
headers, so it looks for circles, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import rooms
import tracked
from rooms import Part

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)

PYTHON = r"Python\.h$|pyconfig\.h$|cpython/|structmember\.h$|frameobject\.h$"
IGRAPH = r"igraph"
GRAPHVIZ = r"gvc\.h$|cgraph\.h$|gvplugin|gvcjob|graphviz/"
INTERNALS = r"^internal/|^pycore_"
INTERNAL_HEADERS = "CPython's internal headers"
PICTURES = r"^leakgraph/(pictures|view|render|export)\.h$"
PAGES = r"^leakgraph/internal/(page|answer_views|renderers)\.h$"
UMBRELLA = r"^leakgraph/(leakgraph|pictures)\.h$"
SHARED = re.compile(r"^leakgraph/(internal/)?\w+\.h$")


@dataclass(frozen=True)
class Rule:
    """In `room`, only files that begin with one of `allowed` may contain `pattern`."""

    room: str
    pattern: str
    what: str
    allowed: tuple[str, ...] = ()


INCLUDES = (
    Rule("libgraph/", PYTHON, "Python's headers"),
    Rule("libgraph/", GRAPHVIZ, "Graphviz"),
    Rule("libgraph/", IGRAPH, "igraph", ("libgraph/src/analysis/igraph_bridge.c",)),
    Rule("libgraph/", PICTURES, "the pictures"),
    Rule("libgraph/", PAGES, "the pictures"),
    Rule("export/", PYTHON, "Python's headers"),
    Rule("export/", IGRAPH, "igraph"),
    Rule("export/", GRAPHVIZ, "Graphviz", ("export/render/graphviz.c",)),
    Rule("export/", r"microhttpd", "libmicrohttpd", ("export/serve/http.c",)),
    Rule("pyext/", IGRAPH, "igraph"),
    Rule("pyext/", GRAPHVIZ, "Graphviz"),
    Rule("pyext/", INTERNALS, INTERNAL_HEADERS, ("pyext/capture/cpython/",)),
    Rule("pyext/", r"^capture/(cpython|walk)/", INTERNAL_HEADERS, ("pyext/capture/",)),
    *(
        Rule(f"{part}/", UMBRELLA, "the header of all headers, for users,")
        for part in ("libgraph", "export", "pyext", "tests", "bench")
    ),
    Rule("examples/", r"^leakgraph/internal/", "what is not installed"),
    Rule("examples/", PYTHON, "Python's headers"),
    Rule("examples/", IGRAPH + "|" + GRAPHVIZ, "a library behind ours"),
)
WORDS = (
    Rule("pyext/", r"\bPy_BUILD_CORE\w*", "a private build, which CMake chooses,"),
    Rule(
        "pyext/",
        r"\bPY_(VERSION_HEX|MINOR_VERSION|MAJOR_VERSION)\b",
        "a Python version",
        ("pyext/capture/cpython/compat", "pyext/binding/support/shim.h"),
    ),
    Rule("libgraph/", r"\b(printf|puts|exit|abort)[ ]?\(", "printing or exiting"),
    Rule("libgraph/", r"\bstd(out|err)\b", "printing"),
    Rule("export/", r"\babort[ ]?\(", "aborting"),
)


# Tests that see the private headers below a folder: some damage graphs by hand, and
# others call functions of the capture or of the server.
PRIVATE = {
    "tests/c": "libgraph/src/",
    "tests/fuzz": "libgraph/src/",
    "tests/export": "export/",
    "tests/capture": "pyext/",
    "tests/py/extensions": "pyext/",
}


def code_of(text: str) -> str:
    """Blank comments and the contents of strings, and keep the lines."""

    def blank(match: re.Match[str]) -> str:
        if match.group(0).startswith('"'):
            return '""'
        return re.sub(r"[^\n]", " ", match.group(0))

    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"'
    return re.sub(pattern, blank, text, flags=re.DOTALL)


def line_of(text: str, offset: int) -> int:
    """Return the 1-based line of an offset."""
    return text.count("\n", 0, offset) + 1


def broken(rule: Rule, path: str, text: str) -> bool:
    """Whether the text of this path breaks the rule."""
    return (
        path.startswith(rule.room)
        and not path.startswith(rule.allowed or ("\0",))
        and re.search(rule.pattern, text) is not None
    )


def part_of(path: str) -> Part | None:
    """Find the part that contains a path."""
    return next((part for part in rooms.ALL if path.startswith(part.base)), None)


def check_rooms(part: Part, path: str, header: str) -> str:
    """Return the error in a room's include of `header`, or ""."""
    room = part.room_of(path.removeprefix(part.base))
    other = part.room_of(header)
    if room is None:
        return "lies in no room"
    if other is None:
        return f'"{header}" lies in no room of {part.base}'
    if other > room:
        return f"{part.rooms[room]} must not include {part.rooms[other]} ({header})"
    shared = part.header_of(part.rooms[other])
    if other != room and header != shared:
        return f'"{header}" is private to its room, which shows "{shared}"'
    return ""


def check_quoted(path: Path, header: str, known: set[str]) -> str:
    """Return the error in `#include "header"`, or ""."""
    part = part_of(str(path))
    if part is None:
        beside = str(path.parent / header)
        private = PRIVATE.get(str(path.parent), "") + header
        found = beside in known or private in known or is_test_helper(path, header)
        return "" if found else f'"{header}" belongs to another room'
    if part.base + header not in known:
        return f'"{header}" belongs to another room'
    return check_rooms(part, str(path), header)


def is_test_helper(path: Path, header: str) -> bool:
    """Whether tests/c or tests/export, which share their headers, has this one."""
    return path.parts[0] == "tests" and "/" not in header


def check_file(root: Path, path: Path, known: set[str]) -> Iterator[str]:
    """Yield the errors in one file; known holds the paths of all headers."""
    text = (root / path).read_text(encoding="utf-8")
    for match in INCLUDE.finditer(text):
        where = f"{path}:{line_of(text, match.start())}"
        quote, header = match.groups()
        for rule in INCLUDES:
            if broken(rule, str(path), header):
                yield f"{where}: {rule.room} must not include {rule.what} ({header})"
        if header.startswith("leakgraph/") and not SHARED.match(header):
            yield f"{where}: {header} is no header of the library"
        if quote == '"' and not re.match(INTERNALS, header):
            problem = check_quoted(path, header, known)
            if problem:
                yield f"{where}: {problem}"
    code = code_of(text)
    for rule in WORDS:
        for match in re.finditer(rule.pattern, code):
            if broken(rule, str(path), match.group(0)):
                where = f"{path}:{line_of(code, match.start())}"
                yield f"{where}: {rule.what} is not allowed here ({match.group(0)})"


def check(root: Path) -> Iterator[str]:
    """Yield every wrong include, and every name that two files share."""
    paths = tracked.files(root, ".c", ".h")
    known = {str(path) for path in paths if path.suffix == ".h"}
    for path in paths:
        yield from check_file(root, path, known)
    yield from check_names(paths)
    yield from check_circles(root, known)


def header_at(path: str, header: str, known: set[str]) -> str | None:
    """Return the path of the project's header that a file includes."""
    part = part_of(path)
    folders = [part.base] if part else []
    folders += ["libgraph/include/", "export/include/"]
    return next((base + header for base in folders if base + header in known), None)


def check_circles(root: Path, known: set[str]) -> Iterator[str]:
    """Yield one circle of headers that include each other, if any."""
    includes: TopologicalSorter[str] = TopologicalSorter()
    for path in sorted(known):
        text = (root / path).read_text(encoding="utf-8")
        for _, header in INCLUDE.findall(text):
            found = header_at(path, header, known)
            if found:
                includes.add(path, found)
    try:
        includes.prepare()
    except CycleError as error:
        circle = error.args[1]
        yield f"{circle[0]}:1: headers include each other: {', '.join(circle)}"


def check_names(paths: list[Path]) -> Iterator[str]:
    """Yield files of the product with the same name."""
    first: dict[str, Path] = {}
    for path in paths:
        if part_of(str(path)) is None:
            continue
        other = first.setdefault(path.name, path)
        if other != path:
            yield f"{path}:1: {other} has the same name"


if __name__ == "__main__":
    tracked.run("includes", check)
