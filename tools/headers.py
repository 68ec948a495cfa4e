"""Reads the public headers: names, declarations and their comments."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

#: The installed headers, in the order of the C reference.
HEADERS = (
    "libgraph/include/leakgraph/leakgraph.h",
    "libgraph/include/leakgraph/base.h",
    "libgraph/include/leakgraph/text.h",
    "libgraph/include/leakgraph/kinds.h",
    "libgraph/include/leakgraph/graph.h",
    "libgraph/include/leakgraph/path.h",
    "libgraph/include/leakgraph/file.h",
    "libgraph/include/leakgraph/analysis.h",
    "libgraph/include/leakgraph/question.h",
    "libgraph/include/leakgraph/table.h",
    "libgraph/include/leakgraph/why.h",
    "libgraph/include/leakgraph/summary.h",
    "libgraph/include/leakgraph/version.h",
    "libgraph/include/leakgraph/builder.h",
    "export/include/leakgraph/pictures.h",
    "export/include/leakgraph/view.h",
    "export/include/leakgraph/render.h",
    "export/include/leakgraph/export.h",
)
#: Headers that the parts of the project share, and that nobody installs.
INTERNAL = ("libgraph/include/leakgraph/internal", "export/include/leakgraph/internal")
INCLUDE_DIRS = ("libgraph/include", "export/include")

ITEM = re.compile(
    r"""
      (?P<comment>/\*\*.*?\*/)
    | (?P<section>/\*\ -{3,}\ *(?P<title>[^-]*?)\ *-{3,}\ *\*/)
    | (?P<body>^(?:LG_API|typedef|enum|struct|static\ inline|const|bool|void|int
        |unsigned|double|size_t|u?int\d+_t|lg_\w+)\b
        (?:[^;{]|\{(?:[^{}]|\{[^{}]*\})*\})*?(?:;|(?<=\})\n))
    """,
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)


@dataclass(frozen=True)
class Item:
    """A declaration and the comment before it, or the title of a section."""

    kind: str  # "function", "type" or "section"
    name: str
    text: str
    comment: str


def plain(comment: str) -> str:
    """Return the text of a /** comment */ without its decoration."""
    body = comment[3:-2]
    lines = [re.sub(r"^\s*\* ?", "", line).rstrip() for line in body.split("\n")]
    rest = textwrap.dedent("\n".join(lines[1:]))
    return f"{lines[0].strip()}\n{rest}".strip()


def name_of(declaration: str) -> tuple[str, str]:
    """Return the kind and the name of what a declaration declares."""
    if not declaration.startswith(("typedef", "enum", "struct")):
        called = re.search(
            r"(\w+)\s*\(", re.sub(r"LG_PRINTF\([^)]*\)", "", declaration)
        )
        return "function", called.group(1) if called else ""
    tail = re.search(r"(\w+)\s*;?\s*$", declaration)
    return "type", tail.group(1) if tail else ""


def items(text: str) -> Iterator[Item]:
    """List the declarations of a header in order; a comment belongs to what follows."""
    comment, end = "", 0
    for match in ITEM.finditer(text):
        if match["comment"]:
            comment, end = plain(match["comment"]), match.end()
            continue
        if match["section"]:
            yield Item("section", match["title"], "", "")
            comment = ""
            continue
        body = match["body"].strip()
        near = not re.search(r"\n[ \t]*\n", text[end : match.start()])
        kind, name = name_of(body)
        yield Item(kind, name, body, comment if near else "")
        # One comment may stand above a group of declarations without a gap.
        end = match.end()


def internal(root: Path) -> list[str]:
    """List the internal headers."""
    return sorted(
        f"{folder}/{path.name}"
        for folder in INTERNAL
        for path in (root / folder).glob("*.h")
    )


def functions(root: Path, header: str, start: str = "") -> set[str]:
    """List the functions of a header whose declarations begin so."""
    return {
        item.name
        for item in items((root / header).read_text(encoding="utf-8"))
        if item.kind == "function" and item.text.startswith(start)
    }


def exported(root: Path) -> set[str]:
    """List every LG_API function of the installed headers."""
    return {name for header in HEADERS for name in functions(root, header, "LG_API")}


def shared(root: Path) -> set[str]:
    """List every function of the internal headers."""
    return {name for header in internal(root) for name in functions(root, header)}
