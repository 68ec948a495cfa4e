"""pytest-memray: a test that may not leak.

The way of its documentation: the marker limit_leaks, and `pytest --memray`.
"""

from __future__ import annotations

import re

import pytest
from answer import Answer, Program, amount

NAME = "pytest-memray"
PACKAGES = ("pytest-memray",)
RESTART = True
COMMANDS = 1
CLAIMS = ("site", "rate", "honest")
#: Lines of the test, but its body.
LINES = 3
LEAK = re.compile(r"- ([\d.]+)(B|KiB|MiB|GiB) allocated here:\n((?: {8}.*\n)+)")
TEST = """
import pytest
@pytest.mark.limit_leaks("4 KB")
def test_leaks(given):
    given.run()
"""
OPTIONS = ("--memray", "--stacks=20", "-q", "-p", "no:cacheprovider")


def look(program: Program) -> Answer:
    """Write the test, and run it."""
    test, settings = program.folder / "test_leaks.py", program.folder / "pytest.ini"
    test.write_text(TEST, encoding="utf-8")
    settings.write_text("[pytest]\n", encoding="utf-8")

    class Plugin:
        @pytest.fixture
        def given(self) -> Program:
            return program

    program.out.mark()
    code = pytest.main([*OPTIONS, "-c", str(settings), str(test)], plugins=[Plugin()])
    return read(program.out.said(), int(code), program.total)


def read(report: str, code: int, calls: int) -> Answer:
    """Read the leaks that made the test fail."""
    found = list(LEAK.finditer(report))
    sizes = [amount(leak[1], leak[2]) / calls for leak in found]
    return Answer(site=[leak[0] for leak in found], rate=sizes, accuses=code == 1)
