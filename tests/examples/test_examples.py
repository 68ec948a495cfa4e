"""Each example runs, in an empty folder, and leaves what it says it leaves."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
JUDGE = EXAMPLES.parent / "tests/py/isolated/collector_of_script.py"
PNG = b"\x89PNG\r\n\x1a\n"


def run(tmp_path, *command, first=()):
    """Run a command that finds programs in the folders `first` before all others."""
    folders = [*first, Path(sys.executable).parent, os.environ["PATH"]]
    result = subprocess.run(
        [str(word) for word in command],
        cwd=tmp_path,
        env={**os.environ, "PATH": ":".join(map(str, folders))},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def is_svg(path):
    text = path.read_text(encoding="utf-8")
    return "<svg" in text and text.rstrip().endswith("</svg>")


def test_refs_of_a_list(tmp_path):
    said = run(tmp_path, sys.executable, EXAMPLES / "refs_of_a_list.py")
    assert "['losses']" in said and "['notes']" in said
    assert is_svg(tmp_path / "history.svg")
    assert (tmp_path / "two.png").read_bytes().startswith(PNG)


def test_who_holds_it(tmp_path):
    said = run(tmp_path, sys.executable, EXAMPLES / "who_holds_it.py")
    assert "20 documents are alive" in said
    assert "load" in said
    assert is_svg(tmp_path / "holders.svg")


def test_at_exit(tmp_path):
    said = run(tmp_path, EXAMPLES / "at_exit.sh")
    assert "the script ended with 1" in said
    assert "rows" in said
    assert len(list(tmp_path.glob("job-*.lgs"))) == 1


@pytest.mark.libraries
def test_demo(tmp_path):
    """Its script runs once: under the judge of the next test."""
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} {JUDGE} "$@"\n')
    python.chmod(0o755)
    said = run(tmp_path, EXAMPLES / "demo.sh", first=[tmp_path])
    assert re.search(r"^right: \d+ and \d+ objects$", said, re.MULTILINE)
    assert ".losses" in said and "Figure" in said
    assert "loss-history" in said and "open-figures" in said and "~~~" in said
    assert "such containers" not in said
    out = tmp_path / "out"
    assert (out / "refs.png").read_bytes().startswith(PNG)
    assert is_svg(out / "why.svg") and is_svg(out / "figures.svg")
    assert (out / "demo.lgs").stat().st_size > 1_000_000


@pytest.mark.libraries
def test_notebook(tmp_path):
    import nbclient
    import nbformat

    notebook = nbformat.read(EXAMPLES / "notebook.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)
    nbclient.NotebookClient(
        notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    shown = [
        output["data"]
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output["output_type"] == "execute_result"
    ]
    assert len(shown) == 7
    assert sum("image/svg+xml" in data for data in shown) == 5
    cycles = shown[5]["text/html"]
    assert "<table>" in cycles and "data:image/svg+xml;" in cycles
    assert "Window" in cycles
    assert (tmp_path / "notebook.lgs").exists()


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(path, marks=pytest.mark.libraries)
        if "torch" in path.read_text(encoding="utf-8")
        else path
        for path in sorted(EXAMPLES.glob("*.py"))
        if path.name != "demo.py"
    ],
    ids=lambda path: path.name,
)
def test_collector_frees_what_leakgraph_says(tmp_path, script):
    said = run(tmp_path, sys.executable, JUDGE, script)
    assert said.splitlines()[-1].startswith("right: ")


def test_every_example_has_its_test():
    tests = EXAMPLES.parent.glob("tests/**/*.py")
    tested = "".join(path.read_text(encoding="utf-8") for path in tests)
    for example in EXAMPLES.iterdir():
        if example.is_file() and example.name != "demo.py":
            assert f'"{example.name}"' in tested, f"{example.name} is not run"
