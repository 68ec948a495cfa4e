"""Checks that no file contains binary data, machine paths or open promises."""

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
    (re.compile(r"^\s*(?:/\*|//) ?-{8}", re.MULTILINE), "a banner"),
)


def check_file(path: Path, content: bytes) -> Iterator[str]:
    """Yield the errors in one file."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        yield f"{path}: a binary file: generate it on demand instead"
        return
    if text and not text.endswith("\n"):
        yield f"{path}: the last line has no newline"
    for pattern, what in FORBIDDEN:
        for match in pattern.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{path}:{line}: {what} ({match.group(0)!r})"


def check(root: Path) -> Iterator[str]:
    """Yield the errors in the files of the project."""
    for path in tracked.files(root):
        yield from check_file(path, (root / path).read_bytes())


if __name__ == "__main__":
    tracked.run("text", check)
