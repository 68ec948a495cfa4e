"""Search by words: the program's own names first, from Python and the command."""

import json
import subprocess

import pytest

import leakgraph

pytestmark = pytest.mark.ends

COUNT = 40


class Quokka:
    """Has a name that nothing else has."""

    def __init__(self):
        self.pouch = bytearray(10_000)


quokkas = [Quokka() for _ in range(COUNT)]


@pytest.fixture(scope="module")
def snap():
    return leakgraph.snapshot()


def test_names_of_the_program(snap):
    found = [row for row in snap.search("quokka") if row.mine]
    rows = {row.kind: row for row in reversed(found)}
    assert rows["variable"].name == f"{__name__}.quokkas"
    assert rows["type"].name == f"{__name__}.Quokka"
    assert rows["type"].count == COUNT and rows["variable"].count == 1
    for row in rows["variable"], rows["type"]:
        assert row.retained.host > COUNT * 10_000
    (pouches,) = snap.search("quokka.pouch")
    assert pouches.name == f"{__name__}.Quokka.pouch" and pouches.count == COUNT
    assert pouches.held_by == f"{__name__}.quokkas[*].pouch"
    assert pouches.retained.host > COUNT * 10_000


def test_selectors(snap):
    found = snap.search(f"type:{__name__}.Quokka", limit=3)
    assert [row.kind for row in found] == ["object"] * 3
    assert found.total == COUNT
    assert found[0].node.type_name == f"{__name__}.Quokka"


def test_what_nothing_has(snap):
    with pytest.raises(leakgraph.NotFoundError, match="no name has 'nothing like"):
        snap.search("nothing like" + " this")


@pytest.mark.once
def test_the_command(snap, tmp_path):
    path = snap.save(tmp_path / "run.lgs")
    ask = ["leakgraph", "search", path, "quokkas", "--json"]
    done = subprocess.run(ask, capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    assert told["rows"][0]["name"] == f"{__name__}.quokkas"
    refused = subprocess.run([*ask, "more"], capture_output=True, text=True)
    assert refused.returncode == 2
