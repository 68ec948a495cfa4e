"""What the tests of the Python face share."""

import os
import subprocess
import sys
from types import SimpleNamespace

import holding
import pytest

import leakgraph


@pytest.fixture(scope="session")
def held():
    """Objects that stay where they are while the tests run."""
    return holding.trainer


@pytest.fixture(scope="session")
def snap(held):
    """One snapshot of this process, for the tests that only read."""
    return leakgraph.snapshot()


@pytest.fixture
def python(tmp_path):
    """Run Python in an empty folder: python("-c", code) -> code, out, err."""

    def run(*arguments, timeout=120, **environment):
        done = subprocess.run(
            [sys.executable, *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=timeout,
        )
        return SimpleNamespace(
            code=done.returncode, out=done.stdout, err=done.stderr, folder=tmp_path
        )

    return run
