"""Checks that the documents are complete and their links work.

Prose is wrapped. Every option of the command, every public name of the Python package
and every environment variable has documentation. The map of the source has every room,
and names only files that exist.
"""

from __future__ import annotations

import importlib
import inspect
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import rooms
import tracked

COMMAND_PAGE = Path("docs/command.md")
PYTHON_PAGE = Path("docs/python.md")
MAP_PAGE = Path("docs/internals.md")

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
SOURCE = re.compile(r"`([\w/]+\.[ch])`")
#: What may be wider than prose: code, comments, and what a tool writes.
OTHER = re.compile(
    r"^<!-- \w+ -->$.*?^<!-- end -->$|^<!--.*?-->|^ *```.*?^ *```$",
    re.MULTILINE | re.DOTALL,
)
WIDTH = 100
VARIABLE = re.compile(r'(?:getenv\(|environ(?:\.get\(|\[))"(LEAKGRAPH_\w+)"')


def anchors(text: str) -> set[str]:
    """Return the anchors of a document's headings."""
    titles = re.findall(r"^#+ +(.*)$", text, re.MULTILINE)
    kept = (re.sub(r"[^\w\- ]", "", title.lower()) for title in titles)
    return {title.strip().replace(" ", "-") for title in kept}


def broken_links(root: Path, path: Path) -> Iterator[str]:
    """Yield the links of a document that lead nowhere in the project."""
    for target in LINK.findall((root / path).read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (root / path).parent / name if name else root / path
        if not file.exists():
            yield f"{path}: {target} does not exist"
        elif anchor and anchor not in anchors(file.read_text(encoding="utf-8")):
            yield f"{path}: {target}: no heading has that name"


def wide(path: Path, text: str) -> Iterator[str]:
    """Yield the lines of prose that are too wide. Tables and signatures may be."""
    prose = OTHER.sub(lambda found: "\n" * found[0].count("\n"), text)
    for number, line in enumerate(prose.splitlines(), 1):
        if len(line) > WIDTH and not line.startswith(("|", "`", "[!")):
            yield f"{path}:{number}: {len(line)} columns: wrap at {WIDTH}"


def missing(page: Path, text: str, names: set[str], what: str) -> Iterator[str]:
    """Yield names that a page does not mention as whole words."""
    for name in sorted(names):
        if not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text):
            yield f"{page}: {what} {name} is missing"


def help_of(command: list[str]) -> str:
    """The help that a command prints."""
    return subprocess.run(
        [*command, "--help"], check=True, capture_output=True, text=True
    ).stdout


def verbs_in(text: str) -> set[str]:
    """Find the verbs that the command's own help lists: indented, then two spaces."""
    return set(
        re.findall(r"^  ([a-z]+)(?: [A-Z\[][^\n]*?)?(?:  |$)", text, re.MULTILINE)
    )


def command_names() -> set[str]:
    """List every verb and every option in the command's help."""
    text = help_of(["leakgraph"])
    verbs = verbs_in(text)
    texts = [text] + [help_of(["leakgraph", verb]) for verb in sorted(verbs)]
    return verbs | {option for text in texts for option in OPTION.findall(text)}


def python_names(module: object, public: list[str]) -> set[str]:
    """List the public names of the package and of its classes."""
    names = {name for name in public if not name.startswith("__")}
    for value in (getattr(module, name) for name in names.copy()):
        if inspect.isclass(value) and not issubclass(value, BaseException):
            names |= {name for name in vars(value) if not re.match("_|n_", name)}
    return names


def wrong_on_map(text: str, rooms: set[str], sources: set[str]) -> Iterator[str]:
    """Yield rooms that the map of the source lacks, and its names of missing files."""
    for room in sorted(rooms):
        if f"| `{room}/` |" not in text:
            yield f"{MAP_PAGE}: room {room} is missing"
    for name in sorted(set(SOURCE.findall(text)) - sources):
        yield f"{MAP_PAGE}: no file has the name {name}"


def check(root: Path) -> Iterator[str]:
    """Yield the errors in the documents."""
    for path in tracked.files(root, ".md"):
        yield from broken_links(root, path)
        if path.parts[0] == "docs" or len(path.parts) == 1:
            yield from wide(path, (root / path).read_text(encoding="utf-8"))
    text = (root / COMMAND_PAGE).read_text(encoding="utf-8")
    yield from missing(COMMAND_PAGE, text, command_names(), "command word")
    package = importlib.import_module("leakgraph")
    names = python_names(package, dir(package))
    text = (root / PYTHON_PAGE).read_text(encoding="utf-8")
    yield from missing(PYTHON_PAGE, text, names, "name")
    text = (root / MAP_PAGE).read_text(encoding="utf-8")
    folders = set(rooms.described(root))
    sources = {path.name for path in tracked.files(root, ".c", ".h")}
    yield from wrong_on_map(text, folders, sources)
    pages = "".join(
        (root / p).read_text(encoding="utf-8") for p in tracked.files(root, ".md")
    )
    for path in tracked.files(root, ".c", ".h", ".py"):
        if path.parts[0] in ("libgraph", "export", "pyext"):
            source = (root / path).read_text(encoding="utf-8")
            variables = set(VARIABLE.findall(source))
            yield from missing(Path("docs"), pages, variables, "variable")


if __name__ == "__main__":
    tracked.run("docs", check)
