"""Reads the public headers: names, declarations and their comments."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HEADERS = (
    "libgraph/include/leakgraph/leakgraph.h",
    "libgraph/include/leakgraph/base.h",
    "libgraph/include/leakgraph/text.h",
    "libgraph/include/leakgraph/kinds.h",
    "libgraph/include/leakgraph/graph.h",
    "libgraph/include/leakgraph/file.h",
    "libgraph/include/leakgraph/path.h",
    "libgraph/include/leakgraph/analysis.h",
    "libgraph/include/leakgraph/scope.h",
    "libgraph/include/leakgraph/answers.h",
    "libgraph/include/leakgraph/cycles.h",
    "libgraph/include/leakgraph/merged_paths.h",
    "libgraph/include/leakgraph/bytes.h",
    "libgraph/include/leakgraph/places.h",
    "libgraph/include/leakgraph/page_counts.h",
    "libgraph/include/leakgraph/growth.h",
    "libgraph/include/leakgraph/samples.h",
    "libgraph/include/leakgraph/heap_map.h",
    "libgraph/include/leakgraph/ranks.h",
    "libgraph/include/leakgraph/program.h",
    "libgraph/include/leakgraph/layout.h",
    "libgraph/include/leakgraph/line.h",
    "libgraph/include/leakgraph/native.h",
    "libgraph/include/leakgraph/baseline.h",
    "libgraph/include/leakgraph/findings.h",
    "libgraph/include/leakgraph/why.h",
    "libgraph/include/leakgraph/what_if.h",
    "libgraph/include/leakgraph/waste.h",
    "libgraph/include/leakgraph/allocations.h",
    "libgraph/include/leakgraph/search.h",
    "libgraph/include/leakgraph/branches.h",
    "libgraph/include/leakgraph/json.h",
    "libgraph/include/leakgraph/table.h",
    "libgraph/include/leakgraph/question.h",
    "libgraph/include/leakgraph/advice.h",
    "libgraph/include/leakgraph/report.h",
    "libgraph/include/leakgraph/version.h",
    "libgraph/include/leakgraph/builder.h",
    "libgraph/include/leakgraph/allocator.h",
    "libgraph/include/leakgraph/plugin.h",
    "libgraph/include/leakgraph/helper.h",
    "libgraph/include/leakgraph/lock.h",
    "libgraph/include/leakgraph/options.h",
    "export/include/leakgraph/pictures.h",
    "export/include/leakgraph/view.h",
    "export/include/leakgraph/render.h",
    "export/include/leakgraph/page.h",
    "export/include/leakgraph/export.h",
)
INCLUDE_DIRS = ("libgraph/include", "export/include")

ITEM = re.compile(
    r"""
      (?P<comment>/\*\*.*?\*/)
    | (?P<section>/\*\ -{3,}\ *(?P<title>[^-]*?)\ *-{3,}\ *\*/)
    | (?P<body>^(?:LG_API|typedef|enum|struct|static\ inline)\b
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
    if declaration.startswith(("LG_API", "static")):
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


def exported(root: Path, part: str = "libgraph") -> set[str]:
    """List every LG_API function of a part's public headers."""
    names = set()
    for header in HEADERS:
        if not header.startswith(f"{part}/"):
            continue
        for item in items((root / header).read_text(encoding="utf-8")):
            if item.kind == "function" and item.text.startswith("LG_API"):
                names.add(item.name)
    return names
