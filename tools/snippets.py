"""Runs the code blocks of a Markdown document, which proves that they work.

    python tools/snippets.py README.md

Blocks run in order, in the current folder, in one process per document: a Python block
sees the variables of earlier Python blocks, and a shell block (`sh`) sees their files.
In a `console` block only the lines after `$ ` run. This compiles a C block
against the public headers. It does not run blocks of any other language.

Two comments change this. `<!-- not run: why -->` above a block leaves it out. `<!--
first: code -->` is Python that runs, but readers do not see it.
"""

from __future__ import annotations

import re
import subprocess
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import headers
import tracked

SHOWN_ONLY = {"text", "json", "dot", "cmake", "toml", "html"}

PIECE = re.compile(
    r"^```(?P<language>\w*)\n(?P<code>.*?)^```$"
    r"|<!-- not run: (?P<reason>.+?) -->"
    r"|<!-- first:(?P<hidden>.*?)-->",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Block:
    """A piece of code, its language and its first line."""

    language: str
    code: str
    line: int


class SnippetError(Exception):
    """A block failed, or cannot run as it is."""


def blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of a document to run, in order."""
    left_out = None
    for match in PIECE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        if match["reason"]:
            left_out = match.end()
        elif match["hidden"]:
            yield Block("python", match["hidden"].strip() + "\n", line)
        elif left_out is not None and not text[left_out : match.start()].strip():
            left_out = None
        elif not match["language"]:
            raise SnippetError(f"line {line}: this block does not name its language")
        elif match["language"] not in SHOWN_ONLY:
            yield Block(match["language"], match["code"], line + 1)


def run_python(block: Block, name: str, module: types.ModuleType) -> None:
    """Run a block in a module's namespace; errors point into the document."""
    code = compile("\n" * (block.line - 1) + block.code, name, "exec")
    exec(code, module.__dict__)


def run_shell(code: str) -> None:
    """Run shell code; it stops at the first command that fails."""
    subprocess.run(["bash", "-euo", "pipefail", "-c", code], check=True)


def compile_c(code: str) -> None:
    """Compile C against the public headers."""
    folders = [f"-I{tracked.ROOT / folder}" for folder in headers.INCLUDE_DIRS]
    command = ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
    subprocess.run([*command, *folders, "-xc", "-"], input=code, text=True, check=True)


def run_block(block: Block, name: str, module: types.ModuleType) -> None:
    """Run one block, whatever its language is."""
    if block.language == "python":
        run_python(block, name, module)
    elif block.language == "sh":
        run_shell(block.code)
    elif block.language == "console":
        run_shell("\n".join(re.findall(r"^\$ (.*)$", block.code, re.MULTILINE)))
    elif block.language == "c":
        compile_c(block.code)
    else:
        raise SnippetError(f"there is no runner for {block.language!r}")


def run_document(path: Path) -> int:
    """Run every block of a document; return their number."""
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    count = 0
    for block in blocks(path.read_text(encoding="utf-8")):
        try:
            run_block(block, str(path), module)
        except Exception as error:
            raise SnippetError(f"{path}:{block.line}: {error!r}") from error
        count += 1
    return count


if __name__ == "__main__":
    print(f"{run_document(Path(sys.argv[1]).resolve())} blocks ran")
