"""A holder of tensors retains what malloc gets back when the holder is cleared."""

import re
from pathlib import Path

import pytest
from malloced import SETTINGS
from warm import HEAVY

pytestmark = pytest.mark.libraries

SCRIPT = Path(__file__).with_name("isolated") / "torch_bytes.py"
#: Maps each case's name to its text.
CASES = dict(
    re.findall(r"^def (\w+)\(trainer\):\n(.+?)\n\n\n", SCRIPT.read_text(), re.M | re.S)
)


def test_there_are_cases():
    assert len(CASES) >= 13


@pytest.mark.parametrize("case", CASES)
def test_freed(warm, case):
    modules = "torch._dynamo" if HEAVY.search(CASES[case]) else "torch"
    done = warm(modules, **SETTINGS).run(SCRIPT, case)
    assert done.code == 0, done.err
    verdicts = [line for line in done.out.splitlines() if line.startswith(case)]
    if verdicts and "skipped" in verdicts[0]:
        pytest.skip(verdicts[0])
    assert verdicts and all(line.startswith(f"{case} right") for line in verdicts), (
        done.out
    )
