"""The tools are scripts in two folders; tests import them from there."""

import subprocess
import sys
from pathlib import Path

import pytest

for folder in ("release", "tools"):
    sys.path.insert(0, str(Path(__file__).parents[2] / folder))


class Project:
    """A small git checkout in which to try a check."""

    def __init__(self, root):
        self.root = root
        subprocess.run(["git", "init", "--quiet", str(root)], check=True)

    def write(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(text, bytes):
            target.write_bytes(text)
        else:
            target.write_text(text, encoding="utf-8")


@pytest.fixture(scope="session")
def checkout():
    """Skip the test in a tree that is no git checkout: nothing lists its files."""
    root = Path(__file__).parents[2]
    command = ["git", "-C", str(root), "rev-parse"]
    if subprocess.run(command, capture_output=True).returncode:
        pytest.skip("this tree is not a git checkout")


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)
