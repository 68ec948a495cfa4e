"""The binding itself does not leak; each script runs in a process of its own."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.ends

ISOLATED = Path(__file__).parent / "isolated"


def test_sixty_snapshots(python):
    done = python(ISOLATED / "drop_snapshots.py", 60, timeout=600)
    assert (done.code, done.out) == (0, "level\n"), done.err
