"""Summarises the results of the test runners and the verbs in one last line.

    python tools/summary.py VERB=STATUS ... JUNIT.xml ...

A verb counts as one test, and so does each case of the JUnit files. Before the last
line stand the names of what failed, each with the heart of what it said. Exit status:
0 if there was at least one and none failed.
"""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

#: How much is shown of what a failed test said.
LINES, COLUMNS = 12, 200


@dataclass
class Tally:
    """The number of passed and skipped tests; name and words of each failed one."""

    passed: int = 0
    skipped: int = 0
    failed: list[list[str]] = field(default_factory=list)

    def line(self) -> str:
        """Write the last line."""
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.passed} passed, {len(self.failed)} failed{skipped}"


def add_verb(tally: Tally, name: str, status: str) -> None:
    """Count a verb with its exit status."""
    if status == "0":
        tally.passed += 1
    else:
        tally.failed.append([f"make {name}"])


def said(case: ElementTree.Element) -> list[str]:
    """Return the last lines that a failed case printed, or those pytest marks."""
    texts = [part.text or "" for part in case if part.tag != "properties"]
    lines = [line.rstrip() for text in texts for line in text.splitlines()]
    marked = [line for line in lines if line.startswith((">  ", "E  "))]
    return [line[:COLUMNS] for line in marked or lines if line][-LINES:]


def add_cases(tally: Tally, path: Path) -> None:
    """Count the cases of a JUnit file; an unreadable file is a failure."""
    try:
        cases = list(ElementTree.parse(path).getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError):
        tally.failed.append([f"{path} is missing"])
        return
    for case in cases:
        name = f"{case.get('classname')}::{case.get('name')}"
        if case.find("failure") is not None or case.find("error") is not None:
            tally.failed.append([name, f"in {path.name}", *said(case)])
        elif case.find("skipped") is not None or case.get("status") == "notrun":
            tally.skipped += 1
        else:
            tally.passed += 1


def summed_up(arguments: list[str]) -> Tally:
    """Count all verbs and files on the command line."""
    tally = Tally()
    for argument in arguments:
        verb, equals, status = argument.partition("=")
        if equals:
            add_verb(tally, verb, status)
        else:
            add_cases(tally, Path(argument))
    return tally


def main(arguments: list[str]) -> int:
    """Print the failures and the last line."""
    tally = summed_up(arguments)
    for lines in tally.failed:
        print("FAILED", "\n    ".join(lines))
    print(tally.line())
    return 0 if tally.passed and not tally.failed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
