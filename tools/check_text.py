"""What no file of the project may hold: bytes, a machine's paths, promises."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import tracked

# Written so that this file does not match itself.
FORBIDDEN = (
    (re.compile(r"/(?:home|work|root|Users)/\w"), "a path of one machine"),
    (re.compile(r"\b(?:TO[D]O|FIX[M]E|X{3})\b"), "something put off"),
    (re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE), "a merge conflict"),
    (re.compile(r"[ \t]+$", re.MULTILINE), "trailing white space"),
)


def check_file(path: Path, content: bytes) -> Iterator[str]:
    """What is wrong with one file."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        yield f"{path}: a binary file: make it when it is needed instead"
        return
    if text and not text.endswith("\n"):
        yield f"{path}: the last line has no end"
    for pattern, what in FORBIDDEN:
        for match in pattern.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{path}:{line}: {what} ({match.group(0)!r})"


def check(root: Path) -> Iterator[str]:
    """What is wrong with the files of the project."""
    for path in tracked.files(root):
        yield from check_file(path, (root / path).read_bytes())


if __name__ == "__main__":
    tracked.run("text", check)
