"""Runs each row of the table in docs/torch.md: how training keeps memory."""

import re
from pathlib import Path

import pytest
from malloced import SETTINGS
from warm import HEAVY

pytestmark = pytest.mark.libraries

SCRIPT = Path(__file__).with_name("isolated") / "torch_practice.py"
PAGE = Path(__file__).parents[2] / "docs/torch.md"
HEADING = "## Find out what parts of training keep"
#: Maps each row's name to the text of its case.
CASES = dict(
    re.findall(r'^@row\("([^"\n]+)"\)\n(.+?)\n\n\n', SCRIPT.read_text(), re.M | re.S)
)


def rows_of_page():
    section = PAGE.read_text().split(HEADING)[1].split("\n## ")[0]
    return [row[0] for row in re.findall(r"^\| ([^|]+) \|(.*)", section, re.M)][2:]


def test_each_row_is_run():
    assert sorted(rows_of_page()) == sorted(CASES)


@pytest.mark.parametrize("name", CASES)
def test_row(warm, name):
    heavy = HEAVY.search(CASES[name])
    settings = SETTINGS if heavy or ".frees(" in CASES[name] else {}
    modules = "torch._dynamo" if heavy else "torch"
    done = warm(modules, **settings).run(SCRIPT, name)
    assert done.code == 0, done.err
    if "skipped" in done.out:
        pytest.skip(done.out.strip())
    assert done.out.split()[-1] == "right"
