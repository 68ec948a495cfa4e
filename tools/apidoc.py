"""The C reference as Markdown, from the comments of the public headers.

python tools/apidoc.py FOLDER      writes FOLDER/c-api.md
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import headers
import tracked


def preface(text: str) -> str:
    """The comment at the head of a header."""
    return headers.plain(text[text.index("/**") : text.index("*/") + 2])


def paragraphs(comment: str) -> str:
    """A comment as Markdown: its indented lines are shown as they are."""
    return re.sub(r"^ {2,}(\S.*)$", r"    \1", comment, flags=re.MULTILINE)


def markdown(header: str, text: str) -> Iterator[str]:
    """The lines that document one header."""
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
        group.append(item.text.replace("LG_API ", ""))
    if group:
        yield "```c\n" + "\n".join(group) + "\n```\n"
        yield paragraphs(said or "") + "\n"


def document(root: Path) -> str:
    """The whole reference."""
    parts = ["# C API\n", "Made from the public headers.\n"]
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
