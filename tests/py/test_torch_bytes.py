"""What a holder of tensors retains is what malloc gets back when it is cleared."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.libraries

ISOLATED = Path(__file__).with_name("isolated")
CASES = re.findall(
    r"^def (\w+)\(trainer\):", (ISOLATED / "torch_bytes.py").read_text(), re.M
)


def test_there_are_cases():
    assert len(CASES) >= 13


@pytest.mark.parametrize("case", CASES)
def test_freed(tmp_path, case):
    # Every byte is malloc's, and what is freed is free at once.
    settings = {
        "PYTHONMALLOC": "malloc",
        "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0",
    }
    done = subprocess.run(
        [sys.executable, ISOLATED / "torch_bytes.py", case],
        cwd=tmp_path,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    said = [line for line in done.stdout.splitlines() if line.startswith(case)]
    if said and "skipped" in said[0]:
        pytest.skip(said[0])
    assert said and all(line.startswith(f"{case} right") for line in said), done.stdout
