"""Every code block of every document runs, in an empty folder."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.libraries

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])


#: What runs only where a package is installed that leakgraph can do without.
NEEDS = {"sql.md": "duckdb"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page(page, tmp_path):
    if page.name in NEEDS:
        pytest.importorskip(NEEDS[page.name])
    runner = ROOT / "tools/snippets.py"
    result = subprocess.run(
        [sys.executable, str(runner), str(page)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout + result.stderr
