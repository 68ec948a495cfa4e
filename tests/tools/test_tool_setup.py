"""The messages of tools/setup.sh when it may not install anything."""

import os
import subprocess
from pathlib import Path

import pytest

SETUP = Path(__file__).parents[2] / "tools/setup.sh"


@pytest.fixture
def stranger(tmp_path):
    """Run the script as a user other than root, on a machine without a package."""
    for name, text in {"dpkg-query": "exit 1", "id": "echo 1000"}.items():
        stub = tmp_path / name
        stub.write_text(f"#!/bin/sh\n{text}\n")
        stub.chmod(0o755)

    def run(*arguments):
        return subprocess.run(
            [str(SETUP), *arguments],
            env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
        )

    return run


@pytest.mark.parametrize(
    ("arguments", "package"),
    [([], "libgraphviz-dev"), ([], "libigraph-dev"), (["checks"], "valgrind")],
)
def test_what_is_missing_is_said_with_the_command(stranger, arguments, package):
    done = stranger(*arguments)
    assert done.returncode == 1
    assert "Missing system packages:" in done.stderr
    command = done.stderr.splitlines()[-1]
    assert command.strip().startswith("sudo apt-get install")
    assert package in command


def test_an_unknown_set_is_refused(stranger):
    assert stranger("everything").returncode == 2
