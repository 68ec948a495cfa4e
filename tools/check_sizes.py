"""Checks that no function has over 70 lines and no file over 900; prints statistics.

It finds C functions by the layout of clang-format: the brace that opens a body and the
one that closes it stand alone in the first column.
"""

from __future__ import annotations

import ast
import statistics
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import tracked

FUNCTION_LINES = 70
FILE_LINES = 900


@dataclass(frozen=True)
class Function:
    """A function, its first line and its length."""

    name: str
    path: Path
    line: int
    lines: int


def first_line(lines: list[str], brace: int) -> int:
    """Find the index of a definition's first line from that of its opening brace."""
    start = brace
    while start > 0:
        before = lines[start - 1]
        if not before or before[0] in "}#/" or before.endswith(("*/", ";")):
            break
        start -= 1
    return start


def c_functions(path: Path, text: str) -> Iterator[Function]:
    """List the functions that a C file defines."""
    lines = text.split("\n")
    brace = None
    for number, line in enumerate(lines):
        if line == "{" and number and lines[number - 1].rstrip().endswith(")"):
            brace = number
        elif line == "}" and brace is not None:
            start = first_line(lines, brace)
            head = " ".join(lines[start:brace])
            name = head.split("(")[0].split()[-1].lstrip("*")
            yield Function(name, path, start + 1, number - start + 1)
            brace = None


def python_functions(path: Path, text: str) -> Iterator[Function]:
    """List the functions that a Python file defines, without their docstrings."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if ast.get_docstring(node) is not None:
                docstring = node.body[0]
                lines -= (docstring.end_lineno or 0) - docstring.lineno + 1
            yield Function(node.name, path, node.lineno, lines)


def functions(root: Path, paths: list[Path]) -> Iterator[Function]:
    """List the functions of these files."""
    for path in paths:
        text = (root / path).read_text(encoding="utf-8")
        find = python_functions if path.suffix == ".py" else c_functions
        yield from find(path, text)


def may_be_long(path: Path) -> bool:
    """Whether the limit does not apply to a file.

    It does not apply to public headers, whose comments are the manual, and to tests in
    Python, which may be one long list of cases.
    """
    return "include" in path.parts or (
        path.suffix == ".py" and path.parts[0] == "tests"
    )


def check(root: Path) -> Iterator[str]:
    """Yield every function and file that is too long."""
    paths = tracked.files(root, ".c", ".h", ".py")
    for function in functions(root, paths):
        if function.lines > FUNCTION_LINES:
            yield (
                f"{function.path}:{function.line}: {function.name} has "
                f"{function.lines} lines, {FUNCTION_LINES} are allowed"
            )
    for path in paths:
        lines = (root / path).read_text(encoding="utf-8").count("\n")
        if lines > FILE_LINES and not may_be_long(path):
            yield f"{path}: {lines} lines, {FILE_LINES} are allowed: split it by noun"


def distribution(sizes: list[int]) -> str:
    """Format the median, 95th percentile and maximum of the sizes."""
    ordered = sorted(sizes)
    late = ordered[int(0.95 * (len(ordered) - 1))]
    over = sum(size > 40 for size in sizes)
    return (
        f"{len(sizes)} functions, median {statistics.median(sizes):g} lines, "
        f"95 % up to {late}, longest {ordered[-1]}, {over} over 40"
    )


def main() -> int:
    """Print the distribution of each room, and the errors."""
    rooms: dict[str, list[int]] = {}
    for function in functions(tracked.ROOT, tracked.files(tracked.ROOT, ".c", ".h")):
        rooms.setdefault(function.path.parts[0], []).append(function.lines)
    for room, sizes in sorted(rooms.items()):
        print(f"{room + '/':12} {distribution(sizes)}")
    return tracked.report("sizes", check(tracked.ROOT))


if __name__ == "__main__":
    sys.exit(main())
