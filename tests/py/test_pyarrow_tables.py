"""pyarrow's tables: each case runs in a process of its own, see isolated/."""

import re
from pathlib import Path

import pytest
from builds import needs
from malloced import SETTINGS

pytestmark = pytest.mark.libraries

SCRIPT = Path(__file__).with_name("isolated") / "pyarrow_tables.py"
CASES = sorted(
    set(re.findall(r"^def (\w+)\(\):", SCRIPT.read_text(), re.M)) - {"table"}
)


def test_there_are_cases():
    assert len(CASES) >= 17


@needs("pyarrow")
@pytest.mark.parametrize("case", CASES)
def test_table(warm, case):
    settings = {**SETTINGS, "ARROW_DEFAULT_MEMORY_POOL": "system"}
    done = warm("pyarrow", **settings).run(SCRIPT, case)
    assert done.code == 0 and done.out == "right\n", done.err


@needs("pyarrow")
@pytest.mark.parametrize("allocator", ["mimalloc", "jemalloc"])
def test_what_the_allocator_keeps_free(warm, allocator):
    done = warm("pyarrow", ARROW_DEFAULT_MEMORY_POOL=allocator).isolated(
        "pyarrow_pool.py"
    )
    assert done.code == 0 and done.out == "right\n", done.err
