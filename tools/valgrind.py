"""Runs a capture of a small heap, its file and its picture under valgrind.

It fails for invalid reads or writes, and for decisions on uninitialised memory, if one
of our functions is on the stack. It ignores the interpreter's own errors. It does not
look for leaks, because an interpreter keeps much until it ends.

PYTHONMALLOC=malloc makes each object a block that valgrind knows, so that it notices a
read beyond an object.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

OURS = ("_core.", "leakgraph")
VALGRIND = ["valgrind", "--quiet", "--leak-check=no", "--num-callers=40", "--xml=yes"]

SMALL = """
import sys
import leakgraph

class Node:
    __slots__ = ("next",)

def generate(seen):
    yield seen

nodes = [Node() for _ in range(10)]
nodes[0].next = nodes
waiting = generate(nodes)
next(waiting)
snapshot = leakgraph.snapshot(previews=True)
snapshot.save(sys.argv[1])
assert len(leakgraph.load(sys.argv[1])) == len(snapshot)
assert "list" in str(leakgraph.show_refs(nodes))
"""


def is_ours(error: ElementTree.Element) -> bool:
    """Whether one of our functions is on the stack.

    Errors in Python code that we call, such as an import, are the interpreter's: only
    functions inside the innermost Python frame count.
    """
    for frame in error.iter("frame"):
        if Path(frame.findtext("obj") or "").name.startswith(OURS):
            return True
        if (frame.findtext("fn") or "").startswith("_PyEval_EvalFrame"):
            return False
    return False


def format_error(error: ElementTree.Element) -> str:
    """Format an error in a few lines: its kind, and the innermost calls."""
    what = error.findtext("what") or error.findtext("xwhat/text") or "?"
    lines = [what]
    for frame in list(error.iter("frame"))[:8]:
        name, file = frame.findtext("fn"), frame.findtext("file")
        lines.append(f"    {name} ({file}:{frame.findtext('line')})")
    return "\n".join(lines)


def errors(command: list[str], folder: Path) -> Iterator[str]:
    """Run a command under valgrind; yield the errors in our code."""
    report = folder / "valgrind.xml"
    result = subprocess.run(
        [*VALGRIND, f"--xml-file={report}", *command],
        env=os.environ | {"PYTHONMALLOC": "malloc"},
        stdout=subprocess.DEVNULL,
    )
    if result.returncode:
        yield f"{command[0]} ended with {result.returncode}"
    for error in ElementTree.parse(report).getroot().iter("error"):
        if is_ours(error):
            yield format_error(error)


def commands(folder: Path) -> Iterator[list[str]]:
    """List the commands to run: a capture, then `leakgraph` on its file."""
    script, file = folder / "small.py", str(folder / "small.lgs")
    script.write_text(SMALL, encoding="utf-8")
    yield [sys.executable, "-S", str(script), file]
    for verb in ("info", "types", "threads"):
        yield ["leakgraph", verb, file]
    for verb in ("refs", "referrers", "path"):
        yield ["leakgraph", verb, file, "type:__main__.Node"]


def main() -> int:
    """Run all commands; return 1 after an error."""
    count = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for command in commands(folder):
            for error in errors(command, folder):
                print(error)
                count += 1
    print(f"valgrind: {count} errors")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
