"""Writes the manual pages: leakgraph(1), and one for each verb.

    python manual.py COMMAND SOURCES VERSION FOLDER

The pages say what the command says of itself: `leakgraph --help` lists the verbs, and
`leakgraph VERB --help` explains one from the table of verbs or the schema of the
questions. SOURCES is the folder of the Python package, whose modules have the text of
the verbs that Python runs.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

OPTION = re.compile(r"  ((?:[A-Z]+, )?-.*?)(?:  +(\S.*))?$")


def ask(command: str, *words: str) -> str:
    """Return what the command prints, in lines as long as it wants."""
    env = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "PAGER")}
    return subprocess.run(
        [command, *words], check=True, capture_output=True, encoding="utf-8", env=env
    ).stdout


def python_texts(sources: Path) -> dict[str, str]:
    """Return the text about each verb that a module of the package explains."""
    texts: dict[str, str] = {}
    for path in sorted(sources.glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            value = getattr(node, "value", None)
            text = value.value if isinstance(value, ast.Constant) else None
            named = isinstance(node, ast.Assign) and isinstance(text, str)
            words = str(text).replace("python -m leakgraph", "leakgraph").split()
            explains = "\n\n" in str(text)
            if named and explains and words[:2] == ["Usage:", "leakgraph"]:
                texts.setdefault(words[2], str(text))
    return texts


def roff(text: str) -> str:
    """Return a line of text as roff shows it."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = "".join(
        c if ord(c) < 128 else f"\\[u{ord(c):04X}]" for c in text.replace("`", "")
    )
    return "\\&" + text if text[:1] in (".", "'") else text


def code(lines: list[str]) -> Iterator[str]:
    """Yield lines that stay as they are."""
    yield ".nf"
    yield from map(roff, lines)
    yield ".fi"


def option_lines(lines: list[str]) -> Iterator[str]:
    """Yield options, each with its text below it."""
    for line in lines:
        begun = OPTION.match(line)
        if begun is None:
            yield roff(line.strip())
            continue
        yield ".TP"
        yield f".B {roff(begun[1])}"
        if begun[2]:
            yield roff(begun[2])


def split(text: str) -> tuple[list[str], list[list[str]]]:
    """Return the lines of the usage, and the paragraphs below it."""
    paragraphs = [part.splitlines() for part in text.strip("\n").split("\n\n")]
    usage = [line[len("Usage: ") :] for line in paragraphs[0]]
    usage = [
        line if line.lstrip().startswith("leakgraph") else f"    {line}"
        for line in usage
    ]
    return usage, paragraphs[1:]


def body(paragraphs: list[list[str]]) -> Iterator[str]:
    """Yield the sections below the synopsis."""
    about, options, examples = [".SH DESCRIPTION"], [], []
    for lines in paragraphs:
        if lines[0].startswith("Example"):
            examples += [".SH EXAMPLES", *code([line[2:] for line in lines[1:]])]
        elif lines[0] == "Options:" or OPTION.match(lines[0]):
            begin = lines[0] == "Options:"
            options += [".SH OPTIONS", *option_lines(lines[begin:])]
        else:
            about.append(".PP")
            for line in lines:
                about += code([line]) if line.startswith("  ") else [roff(line)]
    yield from (*about, *options, *examples)


def page(name: str, summary: str, parts: list[str], version: str) -> str:
    """Return a page."""
    head = [
        f'.TH {roff(name.upper())} 1 "" "leakgraph {version}" "leakgraph"',
        ".SH NAME",
        f"{roff(name)} \\- {roff(summary)}",
    ]
    return "\n".join([*head, *parts]) + "\n"


def verb_page(verb: str, summary: str, text: str, version: str) -> str:
    """Return the page of a verb."""
    usage, paragraphs = split(text.replace("python -m leakgraph", "leakgraph"))
    parts = [".SH SYNOPSIS", *code(usage), *body(paragraphs)]
    parts += [".SH SEE ALSO", ".BR leakgraph (1)"]
    return page(f"leakgraph-{verb}", summary, parts, version)


def verb_list(lines: list[str]) -> Iterator[str]:
    """Yield verbs, each with what it is for."""
    for line in lines:
        verb, about = line.split(None, 1)
        yield from (".TP", f".BR {roff(f'leakgraph-{verb}')} (1)", roff(about))


def main_page(text: str, version: str) -> str:
    """Return the page of the command."""
    first, *paragraphs = text.strip("\n").split("\n\n")
    parts: list[str] = []
    for paragraph in paragraphs:
        title, *lines = paragraph.splitlines()
        if title.startswith("Usage: "):
            usage = [line[len("Usage: ") :] for line in (title, *lines)]
            parts += [".SH SYNOPSIS", *code(usage), ".SH DESCRIPTION"]
        elif title.endswith(":") and title != "Examples:":
            parts += [".PP", roff(title), *verb_list(lines)]
        elif title == "Examples:":
            parts += [".SH EXAMPLES", *code([line[2:] for line in lines])]
        elif title.startswith("Exit codes: "):
            title = title[len("Exit codes: ") :]
            parts += [".SH EXIT STATUS", *map(roff, (title, *lines))]
        else:
            parts += [".PP", *map(roff, (title, *lines))]
    return page("leakgraph", first.partition(" - ")[2], parts, version)


def main(command: str, sources: str, version: str, folder: str) -> None:
    """Write the pages."""
    text = ask(command, "--help")
    verbs = re.findall(r"^  ([a-z-]+) +([a-z].*)$", text.split("Take a snap")[1], re.M)
    verbs = [(verb, about) for verb, about in verbs if verb != "leakgraph"]
    texts = python_texts(Path(sources))
    into = Path(folder)
    into.mkdir(parents=True, exist_ok=True)
    (into / "leakgraph.1").write_text(main_page(text, version), "utf-8")
    for verb, about in verbs:
        about_verb = texts.get(verb) or ask(command, verb, "--help")
        (into / f"leakgraph-{verb}.1").write_text(
            verb_page(verb, about, about_verb, version), "utf-8"
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
