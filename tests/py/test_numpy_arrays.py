"""numpy: each case runs in a process of its own, see isolated/numpy_arrays.py."""

from pathlib import Path

import pytest
from builds import needs

SCRIPT = Path(__file__).parent / "isolated" / "numpy_arrays.py"
CASES = [
    "owner",
    "views",
    "pinned",
    "shared",
    "borrowed",
    "claimed",
    "mapped",
    "interface",
    "unowned",
    "objects",
    "several_dimensions",
    "own_strides",
    "structured",
    "deep",
    "masked",
    "names",
    "random",
    "frontier",
    "saved",
    "scalars",
    "loops",
    "unknown",
    "undisturbed",
]


# Random arrays take as long as all other cases, and test NumPy more than Python.
LONG = pytest.param("random", marks=pytest.mark.ends)


@needs("numpy")
@pytest.mark.parametrize("case", [LONG if case == "random" else case for case in CASES])
def test_numpy(warm, case):
    done = warm("numpy").run(SCRIPT, case)
    assert done.code == 0 and done.out == "right\n", done.err


@needs("numpy")
def test_scalars_have_no_table_to_copy(python, preload):
    done = python(SCRIPT, "scalars", LD_PRELOAD=preload("nonnull"))
    assert done.code == 0 and done.out == "right\n", done.err


def test_no_case_is_forgotten():
    code = SCRIPT.read_text(encoding="utf-8")
    helpers = ("data_of", "labels", "promised_and_freed", "close_to", "random_array")
    defined = {
        line[4 : line.index("(")]
        for line in code.splitlines()
        if line.startswith("def ")
    }
    assert defined - set(helpers) == set(CASES)
