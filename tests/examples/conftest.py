"""What the tests of the examples share."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "py"))

from warm import WarmLibraries


@pytest.fixture(scope="session")
def warm():
    """Run scripts in forks of processes that have imported what the scripts import."""
    processes = WarmLibraries()
    yield processes
    processes.end()
