"""Adds up many summaries, in one process and on a cluster of Dask."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from functools import reduce

import pytest

import leakgraph
from leakgraph import fleet

pytestmark = pytest.mark.once


#: Processes that differ, and how often each is in the fleet.
KINDS, TIMES = 8, 25

JOBS = """
import leakgraph
class Job:
    def __init__(self, number):
        self.samples = [float(i) for i in range(number)]
for number in range(8):
    job = Job(10 * number)
    with leakgraph.snapshot() as whole:
        whole.summary(f"{number}.lgsum")
        if number == 7:
            whole.save("whole.lgs")
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fleet")
    subprocess.run([sys.executable, "-S", "-c", JOBS], cwd=folder, check=True)
    for number in range(KINDS, KINDS * TIMES):
        os.link(folder / f"{number % KINDS}.lgsum", folder / f"{number}.lgsum")
    return folder


@pytest.fixture(scope="module")
def summaries(folder):
    return [str(folder / f"{number}.lgsum") for number in range(KINDS * TIMES)]


def samples(summary):
    return [p for p in fleet.places(summary) if p.held_by == "__main__.job.samples[*]"]


def test_any_order(summaries):
    few = [fleet.summarize(path) for path in summaries[:KINDS]]
    one = fleet.merge(*[reduce(fleet.merge, few)] * TIMES)
    other = fleet.merge(*map(fleet.summarize, reversed(summaries)))
    assert fleet.places(one) == fleet.places(other)
    (row,) = samples(one)
    assert (row.type, row.members) == ("float", TIMES * 10 * sum(range(KINDS)))
    assert row.own == {"host": sys.getsizeof(0.5) * row.members}
    (above,) = [p for p in fleet.places(one) if p.key == row.parent]
    assert (
        above.members == KINDS * TIMES and above.retained["host"] > row.retained["host"]
    )


def test_places_are_a_result(summaries):
    found = fleet.places(fleet.summarize(summaries[1]))
    part = found[:2]
    assert type(found) is type(part) is fleet.Places and len(part) == 2
    assert type(part[0].own) is type(part[0].retained) is leakgraph.Size
    assert repr(part) == str(part).rstrip("\n") and "2 rows" not in repr(part)
    dicts = part.to_dicts()
    assert json.loads(part.json) == {"rows": dicts}
    assert [place.to_dict() for place in part] == dicts
    assert [json.loads(place.json) for place in part] == dicts
    assert dicts[0]["retained"] == dict(part[0].retained)
    assert pickle.loads(pickle.dumps(part)) == part


def test_sources(summaries, folder):
    direct = fleet.places(fleet.summarize(summaries[7]))
    saved = folder / "whole.lgs"
    with leakgraph.load(saved) as whole:
        assert direct == fleet.places(fleet.summarize(whole))
    assert direct == fleet.places(fleet.summarize(saved))
    pytest.importorskip("fsspec", reason="pip install fsspec")
    assert direct == fleet.places(fleet.summarize(f"file://{summaries[7]}"))
    assert direct == fleet.places(fleet.summarize(f"file://{saved}"))


def test_sums_are_compared(summaries, tmp_path):
    """A saved sum is a summary like any other."""
    for name, part in (("few", summaries[:2]), ("many", summaries[:4])):
        total = fleet.merge(*map(fleet.summarize, part))
        (tmp_path / f"{name}.lgsum").write_bytes(total)
    growth = leakgraph.diff(tmp_path / "few.lgsum", tmp_path / "many.lgsum")
    counts = {row.held_by: row.counts for row in growth}
    assert counts["__main__"] == (2, 4)
    for name, count in (("few", 10), ("many", 60)):
        (row,) = samples((tmp_path / f"{name}.lgsum").read_bytes())
        assert row.members == count


def test_what_is_no_summary(tmp_path):
    with pytest.raises(leakgraph.FileError):
        fleet.merge(b"nothing")
    with pytest.raises(TypeError):
        fleet.merge("text")  # type: ignore[arg-type]
    (tmp_path / "text.lgs").write_bytes(b"nothing")
    with pytest.raises(leakgraph.FileError):
        fleet.summarize(tmp_path / "text.lgs")
    with pytest.raises(FileNotFoundError):
        fleet.summarize(tmp_path / "missing.lgs")


@pytest.mark.libraries
def test_dask(summaries):
    bag = pytest.importorskip("dask.bag")
    distributed = pytest.importorskip("distributed")
    urls = [f"file://{path}" for path in summaries]
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster),
    ):
        total = bag.from_sequence(urls, npartitions=4).map(fleet.summarize)
        folded = total.fold(fleet.merge).compute()
    assert fleet.places(folded) == fleet.places(
        fleet.merge(*map(fleet.summarize, summaries))
    )
