"""pandas' DataFrames: each case runs in a process of its own, see isolated/."""

import re
from pathlib import Path

import pytest
from builds import needs
from malloced import SETTINGS

pytestmark = pytest.mark.libraries

SCRIPT = Path(__file__).with_name("isolated") / "pandas_frames.py"
CASES = sorted(
    set(re.findall(r"^def (\w+)\(\):", SCRIPT.read_text(), re.M)) - {"frame"}
)


def test_there_are_cases():
    assert len(CASES) >= 12


@needs("pandas")
@pytest.mark.parametrize("case", CASES)
def test_frame(warm, case):
    settings = {**SETTINGS, "ARROW_DEFAULT_MEMORY_POOL": "system"}
    done = warm("pandas", **settings).run(SCRIPT, case)
    assert done.code == 0 and done.out == "right\n", done.err
