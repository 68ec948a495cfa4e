"""Snapshots of one process are compared in the order of their times."""

import itertools
import json
import types

import pytest

import leakgraph

pytestmark = pytest.mark.ends
program = types.SimpleNamespace()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Three snapshots of a list that grows, and summaries of them."""
    folder = tmp_path_factory.mktemp("order")
    program.held = []
    made = []
    for number in range(3):
        program.held += [bytes(3000 + i) for i in range(50)]
        snapshot = leakgraph.snapshot()
        snapshot.summary(folder / f"{number}.lgsum")
        made.append((snapshot, snapshot.save(folder / f"{number}.lgs")))
    program.__dict__.clear()
    return folder, made


def row_of(growth):
    (row,) = (row for row in growth if "program.held" in row.holder)
    return row.counts


@pytest.mark.parametrize("order", list(itertools.permutations(range(3)))[1:])
def test_files_are_sorted_by_time(files, order):
    _, made = files
    growth = leakgraph.diff(*(made[at][1] for at in order), min_bytes=2000)
    assert row_of(growth) == (50, 100, 150)
    assert "not in the order of their times, and are sorted" in str(growth)
    assert "are sorted" in json.loads(growth.json)["note"]
    (row,) = (row for row in growth if "program.held" in row.holder)
    assert row.node.type_name == "bytes"


def test_snapshots_and_summaries_are_sorted_with_their_steps(files):
    folder, made = files
    given = [made[2][0], folder / "0.lgsum", made[1][0]]
    growth = leakgraph.diff(*given, min_bytes=2000, steps=[30, 10, 20])
    assert row_of(growth) == (50, 100, 150)
    assert growth[0].per_step == pytest.approx(growth[0].gained / 20, rel=0.05)
    summaries = [folder / f"{number}.lgsum" for number in (2, 1, 0)]
    assert row_of(leakgraph.diff(*summaries, min_bytes=2000)) == (50, 100, 150)


def test_what_is_in_order_needs_no_word(files):
    _, made = files
    growth = leakgraph.diff(*(path for _, path in made), min_bytes=2000)
    assert "sorted" not in str(growth)
    assert json.loads(growth.json)["note"] is None
