"""Tests the owners of bytes: views, borrowed memory, and unusual tensors."""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.libraries

ISOLATED = Path(__file__).with_name("isolated")
SCRIPT = (ISOLATED / "torch_storages.py").read_text()
CASES = re.findall(r"^    (\w+),$", SCRIPT[SCRIPT.index("CASES = (") :], re.M)


@pytest.fixture(scope="module")
def verdicts(warm):
    done = warm("torch").isolated("torch_storages.py")
    assert done.code == 0, done.err
    return done.out


def test_there_are_cases():
    assert len(CASES) > 14


@pytest.mark.parametrize("case", CASES)
def test_case(verdicts, case):
    assert re.search(rf"^{case} right$", verdicts, re.M), verdicts
