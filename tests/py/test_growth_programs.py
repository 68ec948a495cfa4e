"""diff() judges programs that leak, that only move, and that do both."""

import fnmatch
import importlib.util
import json

import pytest
from builds import ACCOUNTS, FREE_THREADED
from growth_scripts import FOLDER, run_script

import leakgraph

pytestmark = pytest.mark.ends

spec = importlib.util.spec_from_file_location("programs", FOLDER / "programs.py")
programs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(programs)


def of_kind(*kinds):
    """List the names of programs; those that need libraries run on one Python."""
    return [
        pytest.param(name, marks=pytest.mark.libraries if make.library else ())
        for name, make in programs.PROGRAMS.items()
        if make.kind in kinds
    ]


@pytest.fixture
def run(warm):
    """Run a program in a fork: run(name, rounds) -> its output."""

    def said_by(name, rounds=4):
        modules = programs.PROGRAMS[name].library or "asyncio"
        process = warm(modules)
        done = process.run(FOLDER / "run_program.py", name, str(rounds))
        assert done.code == 0, done.err
        return json.loads(done.out)

    return said_by


def run_with_seed(seed, folder):
    return run_script("run_program.py", "a_leak_under_noise", 3, folder, seed=seed)


def matches(holder, pattern):
    """Whether the holder is the expected one; brackets stand for themselves."""
    return fnmatch.fnmatchcase(
        holder.replace("[", "("), ("*" + pattern).replace("[", "(")
    )


def test_there_are_as_many_programs_as_promised():
    kinds = [make.kind for make in programs.PROGRAMS.values()]
    assert kinds.count("leaks") >= 20
    assert kinds.count("honest") >= 10
    assert kinds.count("mixed") >= 10


@pytest.mark.parametrize("name", of_kind("leaks", "mixed"))
def test_a_leak_is_the_first_row(run, name):
    expected = programs.PROGRAMS[name]
    said = run(name)
    row = said["rows"][0]
    assert matches(row["held_by"], expected.holder)
    assert row["verdict"] == expected.verdict
    # Each thread of a free-threaded build has a heap, which grows with it.
    heaps = FREE_THREADED and row["type"] == "thread"
    assert heaps or row["per_step"] == pytest.approx(said["rate"], rel=0.05)
    assert row["per_step"] > 0.95 * said["rate"]
    assert len(said["rows"]) <= expected.rows
    assert said["is_growing"]


@pytest.mark.parametrize("name", of_kind("native"))
def test_native_growth_is_told_by_its_bytes(run, name):
    expected = programs.PROGRAMS[name]
    if not ACCOUNTS and expected.holder in programs.OF_ALLOCATORS:
        pytest.skip("the allocator of objects does not say what it has given out")
    said = run(name)
    row = said["rows"][0]
    assert row["verdict"] == "native"
    assert row["type"] == expected.holder
    holders = (expected.holder, expected.beside)
    assert any(matches(row["held_by"], holder) for holder in holders)
    assert row["per_step"] == pytest.approx(said["rate"], rel=0.1)
    assert len(said["rows"]) <= expected.rows


@pytest.mark.parametrize("name", of_kind("honest"))
def test_an_honest_program_is_silent(run, name):
    said = run(name, rounds=5)
    assert said["rows"] == []
    assert not said["is_growing"]
    # Parts of the series, from three snapshots on, show no growth either.
    assert len(said["parts"]) == 4
    assert [part for part in said["parts"] if part] == []


def test_places_do_not_depend_on_hash_seeds(tmp_path):
    said = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        folder.mkdir()
        said.append(run_with_seed(seed, folder))
    one, other = said
    assert [row["place"] for row in one["rows"]] == [
        row["place"] for row in other["rows"]
    ]
    # A snapshot of one process and later ones of another are comparable.
    for suffix in ("lgs", "lgsum"):
        paths = [
            tmp_path / seed / f"{number}.{suffix}"
            for seed, number in (("1", 0), ("1", 1), ("2", 2))
        ]
        row = leakgraph.diff(*paths, min_bytes=4096)[0]
        assert row.place == one["rows"][0]["place"]
        assert row.counts == (100, 200, 300)
