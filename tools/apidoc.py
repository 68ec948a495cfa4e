"""Writes the C reference as Markdown, from the comments of the public headers.

python tools/apidoc.py FOLDER      writes FOLDER/c-api.md
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import headers
import tracked

INDENTED = re.compile(r"((?:^ {2,}\S.*\n)+)", re.MULTILINE)


def preface(text: str) -> str:
    """Return the comment at the head of a header."""
    return headers.plain(text[text.index("/**") : text.index("*/") + 2])


def paragraphs(comment: str) -> str:
    """Turn a comment into Markdown; indented lines stay unchanged, except in lists."""
    parts = comment.split("\n\n")
    for number, part in enumerate(parts):
        if not part.startswith("- "):
            parts[number] = INDENTED.sub(r"\n```text\n\1```\n", part + "\n").strip()
    return "\n\n".join(parts)


def markdown(header: str, text: str) -> Iterator[str]:
    """Write the lines that document one header."""
    yield f"## `<leakgraph/{Path(header).name}>`\n"
    yield paragraphs(preface(text)) + "\n"
    group: list[str] = []
    said = None
    for item in headers.items(text):
        if group and (item.kind == "section" or item.comment != said):
            yield "```c\n" + "\n".join(group) + "\n```\n"
            yield paragraphs(said or "") + "\n"
            group = []
        if item.kind == "section":
            yield f"### {item.name.capitalize()}\n"
            continue
        said = item.comment
        text = item.text
        if text.startswith("LG_API "):
            text = re.sub(r"\n {7}", "\n", text[7:])
        group.append(text)
    if group:
        yield "```c\n" + "\n".join(group) + "\n```\n"
        yield paragraphs(said or "") + "\n"


def document(root: Path) -> str:
    """Write the whole reference."""
    parts = ["# C API\n", "This page is generated from the public headers.\n"]
    for header in headers.HEADERS:
        parts += markdown(header, (root / header).read_text(encoding="utf-8"))
    return "\n".join(parts)


def main(folder: Path) -> None:
    """Write the reference into folder."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / "c-api.md"
    target.write_text(document(tracked.ROOT), encoding="utf-8")
    print(f"wrote {target}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
