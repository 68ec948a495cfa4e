"""Who may include whom.

The rooms of the project see each other through public headers only. Debian puts
every library's headers on the compiler's default path, so no compiler option can
keep <gvc.h> out of libgraph: this reads the `#include` lines instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import tracked

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)

PYTHON = r"Python\.h$|pyconfig\.h$|cpython/|structmember\.h$|frameobject\.h$"
IGRAPH = r"igraph"
GRAPHVIZ = r"gvc\.h$|cgraph\.h$|gvplugin|gvcjob|graphviz/"
INTERNALS = r"internal/|pycore_"
PUBLIC = re.compile(r"^leakgraph/\w+\.h$")


@dataclass(frozen=True)
class Rule:
    """In `room`, `pattern` may stand only in files that begin as `allowed` says."""

    room: str
    pattern: str
    what: str
    allowed: tuple[str, ...] = ()


INCLUDES = (
    Rule("libgraph/", PYTHON, "Python's headers"),
    Rule("libgraph/", GRAPHVIZ, "Graphviz"),
    Rule("libgraph/", IGRAPH, "igraph", ("libgraph/src/igraph_bridge.c",)),
    Rule("libgraph/", r"^leakgraph/export\.h$", "the pictures"),
    Rule("export/", PYTHON, "Python's headers"),
    Rule("export/", IGRAPH, "igraph"),
    Rule("export/", GRAPHVIZ, "Graphviz", ("export/src/render.c",)),
    Rule("pyext/", IGRAPH, "igraph"),
    Rule("pyext/", GRAPHVIZ, "Graphviz"),
    Rule("pyext/", INTERNALS, "CPython's internal headers", ("pyext/capture/",)),
    Rule("examples/", PYTHON, "Python's headers"),
    Rule("examples/", IGRAPH + "|" + GRAPHVIZ, "a library behind ours"),
)
WORDS = (
    Rule("pyext/", r"\bPy_BUILD_CORE\w*", "a private build", ("pyext/capture/",)),
    Rule(
        "pyext/",
        r"\bPY_(VERSION_HEX|MINOR_VERSION|MAJOR_VERSION)\b",
        "a Python version",
        ("pyext/capture/compat", "pyext/binding/shim.h"),
    ),
    Rule("libgraph/", r"\b(printf|puts|exit|abort)[ ]?\(", "printing or exiting"),
    Rule("libgraph/", r"\bstd(out|err)\b", "printing"),
    Rule("export/src/", r"\babort[ ]?\(", "aborting"),
)


def code_of(text: str) -> str:
    """The text with comments and string contents blanked, lines kept."""

    def blank(match: re.Match[str]) -> str:
        if match.group(0).startswith('"'):
            return '""'
        return re.sub(r"[^\n]", " ", match.group(0))

    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"'
    return re.sub(pattern, blank, text, flags=re.DOTALL)


def line_of(text: str, offset: int) -> int:
    """The 1-based line of an offset."""
    return text.count("\n", 0, offset) + 1


def broken(rule: Rule, path: str, text: str) -> bool:
    """Whether text, found in path, breaks the rule."""
    return (
        path.startswith(rule.room)
        and not path.startswith(rule.allowed or ("\0",))
        and re.search(rule.pattern, text) is not None
    )


def check_file(root: Path, path: Path, names: dict[str, set[str]]) -> Iterator[str]:
    """What is wrong with one file; names holds the headers of each room."""
    text = (root / path).read_text(encoding="utf-8")
    room = path.parts[0]
    for match in INCLUDE.finditer(text):
        where = f"{path}:{line_of(text, match.start())}"
        quote, header = match.groups()
        for rule in INCLUDES:
            if broken(rule, str(path), header):
                yield f"{where}: {rule.room} must not include {rule.what} ({header})"
        if header.startswith("leakgraph/") and not PUBLIC.match(header):
            yield f"{where}: {header} is no public header"
        if re.match(INTERNALS, header):
            continue
        known = names.get(room, set())
        if path.match("tests/c/*"):
            # Graphs are damaged by hand there, which takes their layout.
            known = known | names.get("libgraph", set())
        if quote == '"' and Path(header).name not in known:
            yield f'{where}: "{header}" belongs to another room'
    code = code_of(text)
    for rule in WORDS:
        for match in re.finditer(rule.pattern, code):
            if broken(rule, str(path), match.group(0)):
                where = f"{path}:{line_of(code, match.start())}"
                yield f"{where}: {rule.what} has no place here ({match.group(0)})"


def check(root: Path) -> Iterator[str]:
    """Every include that crosses a wall."""
    paths = tracked.files(root, ".c", ".h")
    names: dict[str, set[str]] = {}
    for path in paths:
        names.setdefault(path.parts[0], set()).add(path.name)
    for path in paths:
        yield from check_file(root, path, names)


if __name__ == "__main__":
    tracked.run("includes", check)
