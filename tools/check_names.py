"""Checks the names that private headers share with other files, and include guards.

Types, constants, macros and inline functions begin with lg__ or LG__, in all rooms.
check_symbols.py checks all other functions and all objects. The guard of a_header.h is
LEAKGRAPH_A_HEADER_H, in public headers and tests, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import tracked

ROOMS = ("libgraph", "export", "pyext")
#: What Python's headers lack in some versions or ask for, and what the linker makes.
FOREIGN = re.compile(r"Py_\w+|_dictkeysobject|__(?:start|stop)_\w+")
SKIPPED = re.compile(
    r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'', re.DOTALL
)
MACRO = re.compile(r"#[ \t]*define[ \t]+(\w+)(?:\\\n|[^\n])*")
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
#: A body that others may see begins in the first column.
ENUMERATORS = re.compile(r"^(?:typedef )?enum\b[^{;()]*\{([^}]*)\}", re.MULTILINE)
TAG = re.compile(r"^(?:typedef )?(?:struct|union|enum) (\w+) \{", re.MULTILINE)
ALIAS = re.compile(r"^typedef\b[^;{}]*?(?:\(\*?(\w+)\)\(|(\w+)(?:\([^;]*\))?;)", re.M)
GUARD = re.compile(r"^#ifndef (\w+)\n#define (\w+)$", re.MULTILINE)
INLINE = re.compile(r"^static inline\b[^;{(]*?(\w+)\(", re.MULTILINE)
OBJECT = re.compile(r"^extern\b[^;(]*?(\w+)(?:\[[^;]*)?;", re.MULTILINE)


def names(text: str) -> Iterator[str]:
    """Yield the names that a header shares."""
    text = SKIPPED.sub(" ", text)
    yield from (macro[1] for macro in MACRO.finditer(text))
    code = DIRECTIVE.sub("", text)
    for body in ENUMERATORS.finditer(code):
        yield from re.findall(r"(?:^|,)\s*(\w+)\s*(?=[,=]|$)", body[1])
    for pattern in (TAG, ALIAS, INLINE, OBJECT):
        for match in pattern.finditer(code):
            yield next(name for name in match.groups() if name)


def misguarded(path: Path, text: str) -> Iterator[str]:
    """Yield the guard of a header if it has another spelling, or none."""
    guard = f"LEAKGRAPH_{path.stem.upper()}_H"
    found = GUARD.search(text)
    if found is None or found.groups() != (guard, guard):
        yield f"{path}: its include guard is not {guard}"


def unprefixed(texts: dict[Path, str]) -> Iterator[str]:
    """Yield the names without the prefix that private headers of the rooms share."""
    public = {path for path in texts if "include" in path.parts}
    known = {word for path in public for word in re.findall(r"\w+", texts[path])}
    for path in sorted(texts.keys() - public):
        for name in dict.fromkeys(names(texts[path])):
            fine = name.lower().startswith("lg__") or name.endswith("_H")
            if not fine and name not in known and not FOREIGN.fullmatch(name):
                yield f"{path}: {name} begins with neither lg__ nor LG__"


def check(root: Path) -> Iterator[str]:
    """Yield the errors in all headers."""
    texts = {
        path: (root / path).read_text(encoding="utf-8")
        for path in tracked.files(root, ".h")
    }
    for path, text in texts.items():
        yield from misguarded(path, text)
    yield from unprefixed({p: text for p, text in texts.items() if p.parts[0] in ROOMS})


if __name__ == "__main__":
    tracked.run("names", check)
