"""Summarises the results of the test runners and the verbs in one last line.

    python tools/summary.py VERB=STATUS ... JUNIT.xml ...

A verb counts as one test, and so does each case of the JUnit files. Exit
status: 0 if there was at least one and none failed.
"""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Tally:
    """The number of passed and skipped tests, and the names of the failed ones."""

    passed: int = 0
    skipped: int = 0
    failed: list[str] = field(default_factory=list)

    def line(self) -> str:
        """Write the last line."""
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.passed} passed, {len(self.failed)} failed{skipped}"


def add_verb(tally: Tally, name: str, status: str) -> None:
    """Count a verb with its exit status."""
    if status == "0":
        tally.passed += 1
    else:
        tally.failed.append(f"make {name}")


def add_cases(tally: Tally, path: Path) -> None:
    """Count the cases of a JUnit file; an unreadable file is a failure."""
    try:
        cases = list(ElementTree.parse(path).getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError):
        tally.failed.append(f"{path} is missing")
        return
    for case in cases:
        name = f"{case.get('classname')}::{case.get('name')}"
        if case.find("failure") is not None or case.find("error") is not None:
            tally.failed.append(name)
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
    for name in tally.failed:
        print(f"FAILED {name}")
    print(tally.line())
    return 0 if tally.passed and not tally.failed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
