"""Checks that the nearest CMakeLists.txt names every source.

A forgotten test would never run, and a forgotten Python file would be missing from the
build tree. A list may name a suite of C tests without test_ in front. The sources of a
room need no list: rooms.cmake takes all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import rooms
import tracked

BUILT = (
    "bench",
    "export",
    "libgraph",
    "pyext",
    "tests/c",
    "tests/capture",
    "tests/export",
    "tests/fuzz",
)


def list_above(root: Path, path: Path) -> Path:
    """Return the nearest CMakeLists.txt in the folders above a file."""
    for folder in path.parents:
        if (root / folder / "CMakeLists.txt").exists():
            return folder / "CMakeLists.txt"
    return Path("CMakeLists.txt")


def is_built(path: Path) -> bool:
    """Whether a CMakeLists.txt must name the file."""
    if path.suffix != ".c" and path.parent != Path("pyext/leakgraph"):
        return False
    if str(path.parent) in rooms.described(tracked.ROOT):
        return False
    return any(path.is_relative_to(folder) for folder in BUILT)


def check(root: Path) -> Iterator[str]:
    """Yield a sentence for each source that no list names."""
    for path in filter(is_built, tracked.files(root, ".c", ".py", ".pyi")):
        place = list_above(root, path)
        listed = (root / place).read_text() if (root / place).exists() else ""
        names = {path.name, path.stem.removeprefix("test_")}
        if names.isdisjoint(re.split(r"[\s()/]+", listed)):
            yield f"{path}: {place} does not name it: add it to the list there"


if __name__ == "__main__":
    tracked.run("sources", check)
