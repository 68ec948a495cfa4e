"""What the tests on a GPU share. They fail where there is none: nothing is skipped."""

import gc
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
import torch

import leakgraph


def pytest_sessionstart():
    if not torch.cuda.is_available():
        pytest.exit("these tests need a GPU that PyTorch can use", returncode=2)


@pytest.fixture(autouse=True)
def clean():
    """Leave nothing of a test on the device."""
    yield
    torch.cuda.memory._record_memory_history(None)
    gc.collect()
    torch.cuda.synchronize()
    torch._C._cuda_clearCublasWorkspaces()
    torch.cuda.empty_cache()


@pytest.fixture
def python(tmp_path):
    """Run code in a process of its own: python(code, NAME="value") -> its output."""

    def run(code, **environment):
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return run


@pytest.fixture
def account():
    """Take a snapshot, check the sums of the device, return snapshot and account."""

    def take():
        torch.cuda.synchronize()
        snap = leakgraph.snapshot()
        (at,) = snap.memory().devices
        assert at.reserved == at.allocated + at.pending + at.inactive
        assert at.allocated == at.attributed + at.unattributed
        assert at.attributed == at.used + at.rounding + at.slack
        assert at.attributed == sum(at.by_kind.values())
        evidence = at.by_evidence.values()
        assert at.unattributed == sum(one["bytes"] for one in evidence)
        return SimpleNamespace(snap=snap, at=at)

    return take
