"""Programs that leak, that only move, and that do both: what diff() says of them."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import leakgraph

FOLDER = Path(__file__).resolve().parents[1] / "examples" / "growth"

spec = importlib.util.spec_from_file_location("programs", FOLDER / "programs.py")
programs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(programs)


def run(program, rounds=3, calls=100, folder=None, seed="0"):
    command = [sys.executable, "-B", str(FOLDER / "run_program.py")]
    words = [program.__name__, str(rounds), str(calls)]
    done = subprocess.run(
        [*command, *words, *([str(folder)] if folder else [])],
        env={**os.environ, "PYTHONHASHSEED": seed},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("program", programs.LEAKING + programs.MIXED)
def test_a_leak_is_the_first_row(program):
    said = run(program)
    row = said["rows"][0]
    assert row["holder"] == f"__main__.{program.holder}"
    assert row["per_step"] == pytest.approx(said["rate"], rel=0.05)
    expected = "grows in place" if program is programs.Buffer else "accumulates"
    assert row["verdict"] == expected
    assert len(said["rows"]) == 1


@pytest.mark.parametrize("program", programs.HONEST)
def test_an_honest_program_is_silent(program):
    said = run(program, rounds=4)
    assert said["rows"] == []
    assert not said["is_growing"]


def test_places_do_not_depend_on_hash_seeds(tmp_path):
    said = []
    for seed in ("1", "2"):
        (tmp_path / seed).mkdir()
        said.append(run(programs.LeakUnderNoise, folder=tmp_path / seed, seed=seed))
    one, other = said
    assert [row["place"] for row in one["rows"]] == [
        row["place"] for row in other["rows"]
    ]
    # A snapshot of one process and later ones of another are comparable.
    for suffix in ("lgs", "lgsum"):
        paths = [
            tmp_path / seed / f"{number}.{suffix}"
            for seed, number in (("1", 0), ("2", 1), ("1", 2))
        ]
        row = leakgraph.diff(*paths, min_bytes=4096)[0]
        assert row.place == one["rows"][0]["place"]
        assert row.counts == (100, 200, 300)
