"""pytest-memray: a test that may not leak.

The way of its documentation: the marker limit_leaks, and `pytest --memray`.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from answer import Answer, Program

NAME = "pytest-memray"
PACKAGES = ("pytest-memray",)
RESTART = True
COMMANDS = 1
#: Lines of the test, but its body.
LINES = 3
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
LEAK = re.compile(r"- ([\d.]+)(B|KiB|MiB|GiB) allocated here:\n((?: {8}.*\n)+)")


TEST = """
import pytest
@pytest.mark.limit_leaks("4 KB")
def test_leaks(given):
    given.run()
"""


def look(program: Program) -> Answer:
    """Write the test, and run it."""
    test = Path(program.folder, "test_leaks.py")
    test.write_text(TEST, encoding="utf-8")
    (program.folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")

    class Plugin:
        @pytest.fixture
        def given(self) -> Program:
            return program

    options = [
        "--memray",
        "--stacks=20",
        "-q",
        "-p",
        "no:cacheprovider",
        "-c",
        f"{test.parent}/pytest.ini",
    ]
    program.out.mark()
    code = pytest.main([*options, str(test)], plugins=[Plugin()])
    return read(program.out.said(), int(code), program.total)


def read(report: str, code: int, calls: int) -> Answer:
    """Read the leaks that made the test fail."""
    found = list(LEAK.finditer(report))
    sizes = [float(leak[1]) * UNITS[leak[2]] / calls for leak in found]
    return Answer(site=[leak[0] for leak in found], rate=sizes, accuses=code == 1)
