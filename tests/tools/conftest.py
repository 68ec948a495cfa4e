"""The tools are scripts in one folder; tests import them from there."""

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))


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


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)
