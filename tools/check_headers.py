"""Checks that each header compiles alone and has comments and typed nodes.

Only installed headers have LG_API, and they include no internal one.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import headers
import tracked

STRICT = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]
COMPILERS = (["cc", "-xc", "-std=c11"], ["c++", "-xc++", "-std=c++17"])

PLAIN_NODE = re.compile(
    r"\buint32_t (?:\*(?:nodes|targets)|(?:node|source|target|holder|culprit))\b"
)
INTERNAL = re.compile(r"#include <(leakgraph/internal/\w+\.h)>")
OPTIONS = re.compile(r"typedef struct (lg_\w+_options) \{\s*([^;]*);")


def compile_alone(root: Path, header: str) -> Iterator[str]:
    """Compile a file that only includes the header, twice; yield the errors."""
    include = "leakgraph/" + header.partition("/leakgraph/")[2]
    source = f"#include <{include}>\n#include <{include}>\n"
    folders = [f"-I{root / folder}" for folder in headers.INCLUDE_DIRS]
    for compiler in COMPILERS:
        result = subprocess.run(
            [*compiler, *STRICT, *folders, "-"],
            input=source,
            capture_output=True,
            text=True,
        )
        if result.returncode:
            yield f"{header} as {compiler[-1][5:]}:\n{result.stderr.rstrip()}"


def undocumented(header: str, text: str) -> Iterator[str]:
    """Yield functions without a comment; `_free` functions need none."""
    for item in headers.items(text):
        silent = item.kind == "function" and not item.comment
        if silent and not item.name.endswith("_free"):
            yield f"{header}: {item.name} has no comment"


def untyped(header: str, text: str) -> Iterator[str]:
    """Yield nodes that are declared as plain numbers."""
    for match in PLAIN_NODE.finditer(text):
        yield f"{header}: `{match[0]}` is a node: declare it as lg_node"


def unsized(header: str, text: str) -> Iterator[str]:
    """Yield structs of options that do not carry their size, or lack their macro."""
    for match in OPTIONS.finditer(text):
        if match[2] != "size_t size":
            yield f"{header}: {match[1]} does not begin with `size_t size`"
        macro = f"{match[1].upper()}_INIT"
        if macro not in text:
            yield f"{header}: {match[1]} has no macro {macro}"


def leaking(header: str, text: str) -> Iterator[str]:
    """Yield what an installed header shows of the internal ones, and the reverse."""
    if header in headers.HEADERS:
        for found in INTERNAL.findall(text):
            yield f"{header}: includes {found}, which is not installed"
    elif re.search(r"^LG_API\b", text, re.MULTILINE):
        yield f"{header}: exports a function, and is not installed"


def check(root: Path) -> Iterator[str]:
    """Yield the errors in the headers."""
    for header in (*headers.HEADERS, *headers.internal(root)):
        yield from compile_alone(root, header)
        text = (root / header).read_text(encoding="utf-8")
        yield from undocumented(header, text)
        yield from untyped(header, text)
        yield from unsized(header, text)
        yield from leaking(header, text)


if __name__ == "__main__":
    tracked.run("headers", check)
