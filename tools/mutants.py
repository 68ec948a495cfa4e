"""Mutants: small changes of the code that some test must notice.

Two files beside this one list mutants, one per line, with ` :: ` between the fields and
` => ` between the original code and the mutant's:

    FILE :: WHAT => TO WHAT :: TESTS      mutants.txt: the TESTS must fail
    FILE :: LINE => TO WHAT :: REASON     mutants_equivalent.txt: why no test can fail

FILE may be a pattern, such as export/pick/*.c. WHAT occurs once in the files that
match, or, if the code has moved and none of them has it, once in the folder, or once in
the part of the project; a space in WHAT stands for any white space, even the end of a
line. TESTS are
names that ctest knows (c.path) or that pytest runs (tests/py/test_why.py::test_name).
LINE is a whole line, without the space around it; its TO WHAT has single spaces. Empty
lines and lines that begin with # have no effect.

All other mutants come from universalmutator, a tool on PyPI.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
PERMANENT = HERE / "mutants.txt"
EQUIVALENT = HERE / "mutants_equivalent.txt"

RULES = {".c": ["universal.rules", "c_like.rules", "c.rules"]}
RULES[".py"] = ["universal.rules", "python.rules"]

# A change of these lines has no effect on the compiled code.
DULL = re.compile(r"\s*(//|/\*|\*|#|$)")


class Stale(Exception):
    """A line of a list does not fit the code any more."""


@dataclass(frozen=True)
class Mutant:
    """Whole lines of a file, counted from 1, and their replacement."""

    path: str
    line: int
    before: str
    after: str
    tests: tuple[str, ...] = ()

    def __str__(self) -> str:
        before, after = " ".join(self.before.split()), " ".join(self.after.split())
        return f"{self.path}:{self.line}: {before} => {after}"

    def applied(self, code: str) -> str:
        """Return the file with the change."""
        lines = code.splitlines(keepends=True)
        end = self.line + self.before.count("\n")
        return "".join([*lines[: self.line - 1], self.after + "\n", *lines[end:]])


def entries(text: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield the fields of each line of a list."""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [field.strip() for field in line.split(" :: ")]
        change = fields[1].split(" => ") if len(fields) == 3 else []
        if len(change) != 2 or not all(fields):
            raise Stale(f"line {number} is not FILE :: WHAT => TO WHAT :: TESTS")
        yield fields[0], change[0].strip(), change[1].strip(), fields[2]


def occurrences(
    root: Path, pattern: str, expression: re.Pattern[str]
) -> list[tuple[str, str, int, int]]:
    """List where the files that match have the expression."""
    found = []
    for file in sorted(root.glob(pattern)):
        code = file.read_text("utf-8")
        path = str(file.relative_to(root))
        found += [(path, code, *at.span()) for at in expression.finditer(code)]
    return found


def found_once(root: Path, pattern: str, what: str) -> tuple[str, str, int, int]:
    """Find the one place of WHAT in the files: path, code, begin, end; else Stale.

    Code that has moved is found in the same folder, or anywhere in the same part.
    """
    expression = re.compile(re.escape(what).replace(r"\ ", r"\s+"))
    part, *below = Path(pattern).parts
    suffix = Path(pattern).suffix
    others = "*.[ch]" if suffix in (".c", ".h") else f"*{suffix}"
    folders = [str(Path(pattern).parent), f"{part}/**"] if below else []
    for wider in (pattern, *(f"{folder}/{others}" for folder in folders)):
        places = occurrences(root, wider, expression)
        if places:
            break
    if len(places) != 1:
        raise Stale(f"{pattern} has '{what}' {len(places)} times, not once")
    return places[0]


def listed(root: Path, text: str) -> list[Mutant]:
    """Read the mutants of mutants.txt; Stale if the code does not contain WHAT once."""
    found = []
    for pattern, what, instead, tests in entries(text):
        path, code, begin, end = found_once(root, pattern, what)
        first = code.rfind("\n", 0, begin) + 1
        last = code.find("\n", end)
        mutant = Mutant(
            path,
            code.count("\n", 0, first) + 1,
            code[first:last],
            code[first:begin] + instead + code[end:last],
            tuple(tests.split()),
        )
        found.append(mutant)
    return found


def equivalent(root: Path, text: str) -> dict[tuple[str, str, str], str]:
    """Read the reasons of mutants_equivalent.txt; Stale if a file has no such line."""
    reasons = {}
    for path, line, instead, reason in entries(text):
        code = (root / path).read_text("utf-8") if (root / path).is_file() else ""
        if line not in map(str.strip, code.splitlines()):
            raise Stale(f"{path} has no line '{line}'")
        reasons[path, line, instead] = reason
    return reasons


def reason_of(mutant: Mutant, reasons: dict[tuple[str, str, str], str]) -> str | None:
    """Say why no test can fail on the mutant; None if one should."""
    after = " ".join(mutant.after.split())
    return reasons.get((mutant.path, mutant.before.strip(), after))


def generated(root: Path, path: str) -> list[Mutant]:
    """Yield each mutant of a file that universalmutator makes."""
    source = (root / path).read_text("utf-8").splitlines(keepends=True)
    mutator = importlib.import_module("universalmutator.mutator")
    with contextlib.redirect_stdout(io.StringIO()):
        made = mutator.mutants_regexp(
            source,
            ruleFiles=RULES[Path(path).suffix],
            ignorePatterns=[],
        )
    found = []
    for change in made:
        line, after = int(change[0]), str(change[1]).rstrip("\n")
        before = source[line - 1].rstrip("\n")
        if not DULL.match(before):
            found.append(Mutant(path, line, before, after))
    return found


def shuffled(root: Path, paths: Sequence[str], seed: int) -> list[Mutant]:
    """List all mutants of the files, in an order that depends only on the seed."""
    every = [mutant for path in paths for mutant in generated(root, path)]
    random.Random(seed).shuffle(every)
    return every
