"""Pillow's images: each case runs in a process of its own, see isolated/."""

import re
from pathlib import Path

import pytest
from builds import needs
from malloced import SETTINGS

pytestmark = pytest.mark.libraries

SCRIPT = Path(__file__).with_name("isolated") / "pillow_images.py"
CASES = re.findall(r"^def (\w+)\(\):", SCRIPT.read_text(), re.M)


def test_there_are_cases():
    assert len(CASES) >= 12


@needs("PIL")
@pytest.mark.parametrize("case", CASES)
def test_image(warm, case):
    done = warm("PIL.Image", **SETTINGS).run(SCRIPT, case)
    assert done.code == 0 and done.out == "right\n", done.err


FILTERED = """
import leakgraph, PIL.Image
image = PIL.Image.new("RGB", (1000, 1000))
snapshot = leakgraph.snapshot()
print(snapshot.retained(snapshot.find(image)).host > 4_000_000)
"""


@needs("PIL")
def test_a_process_may_be_forbidden_to_read_its_own_memory(python, preload):
    done = python("-c", FILTERED, LD_PRELOAD=preload("filtered"))
    assert done.out == "True\n", done.err
