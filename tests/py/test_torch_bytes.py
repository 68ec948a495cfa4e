"""A holder of tensors retains what malloc gets back when the holder is cleared."""

import re
from pathlib import Path

import pytest
from malloced import SETTINGS

pytestmark = pytest.mark.libraries

SCRIPT = Path(__file__).with_name("isolated") / "torch_bytes.py"
CASES = re.findall(r"^def (\w+)\(trainer\):", SCRIPT.read_text(), re.M)


def test_there_are_cases():
    assert len(CASES) >= 13


@pytest.mark.parametrize("case", CASES)
def test_freed(warm, case):
    done = warm("torch", **SETTINGS).run(SCRIPT, case)
    assert done.code == 0, done.err
    verdicts = [line for line in done.out.splitlines() if line.startswith(case)]
    if verdicts and "skipped" in verdicts[0]:
        pytest.skip(verdicts[0])
    assert verdicts and all(line.startswith(f"{case} right") for line in verdicts), (
        done.out
    )
