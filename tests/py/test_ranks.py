"""Tests the ranks of a job: what their environment says, and how they differ."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import leakgraph

JOB = """
import os
import leakgraph
class Trainer:
    pass
rank = int(os.environ["RANK"])
trainer = Trainer()
trainer.losses = [float(i) for i in range(1000 + 20000 * (rank == 1))]
trainer.samples = {}
if rank == 2:
    best = bytearray(400_000)
dataset = [str(i) * 50 for i in range(3000)]
with leakgraph.snapshot() as whole:
    assert whole.save("rank-{rank}.lgs", analysis=True) == f"rank-{rank}.lgs"
    whole.summary("rank-{rank}.lgsum")
"""

pytestmark = pytest.mark.ends


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ranks")
    for rank in range(4):
        environment = {**os.environ, "RANK": str(rank), "WORLD_SIZE": "4"}
        subprocess.run(
            [sys.executable, "-c", JOB], cwd=folder, env=environment, check=True
        )
    return folder


@pytest.fixture(scope="module", params=["lgs", "lgsum"])
def paths(folder, request):
    return [folder / f"rank-{rank}.{request.param}" for rank in (3, 2, 1, 0)]


def test_who_differs(paths):
    ranks = leakgraph.ranks(*paths, min_bytes="64 KiB")
    found = {row.held_by: row for row in ranks}
    assert set(found) == {"__main__.trainer.losses", "__main__.best"}
    losses = found["__main__.trainer.losses"]
    assert (losses.rank, losses.others, losses.type) == ("1", 0, "list")
    assert losses.apart == losses.bytes[2].total - losses.bytes[0].total > 480_000
    assert found["__main__.best"].apart >= 400_000
    assert [rank.name for rank in ranks.ranks] == ["3", "2", "1", "0"]
    assert ranks.ranks[2].objects.total > ranks.ranks[0].objects.total
    assert "__main__.trainer.losses" in str(ranks) and "on rank" in str(ranks)


def test_what_all_have(paths):
    ranks = leakgraph.ranks(*paths, min_bytes="64 KiB")
    first = ranks.repeated[0]
    assert (first.held_by, first.type) == ("__main__.dataset", "list")
    assert first.together == sum([first.each] * 4) > 4 * 3000 * 100
    assert type(first.each) is type(ranks.libraries) is leakgraph.Size
    assert ranks.libraries > 100_000
    parsed = json.loads(ranks.json)
    assert parsed["libraries"] == ranks.libraries
    assert parsed["repeated"][0]["each"] == first.each
    assert parsed["rows"][0]["bytes"] == list(ranks[0].bytes)
    assert len(leakgraph.ranks(*paths, min_bytes=0)) > len(ranks)


def test_the_command_says_the_same(paths):
    done = subprocess.run(
        ["leakgraph", "ranks", *paths, "--min-bytes", "64KiB", "--json"],
        check=True,
        capture_output=True,
        text=True,
    )
    ranks = leakgraph.ranks(*paths, min_bytes=65536)
    assert json.loads(done.stdout) == json.loads(ranks.json)


def test_too_few(paths):
    with pytest.raises(leakgraph.ArgumentError, match="two snapshots or more"):
        leakgraph.ranks(paths[0])  # type: ignore[call-arg]


def test_page(paths, tmp_path):
    page = tmp_path / "ranks.html"
    command = ["leakgraph", "ranks", *paths, "--min-bytes", "64KiB", "-o", page]
    subprocess.run(command, check=True)
    text = page.read_text()
    assert "<h1>4 ranks</h1>" in text and "default-src 'none'" in text
    assert text.index(">__main__.trainer.losses<") < text.index(">__main__.dataset<")
    assert text.count('<rect class="apart"') == 2
    ranks = leakgraph.ranks(*paths, min_bytes="64 KiB")
    assert ranks.report(tmp_path / "of-{rank}.html") == str(tmp_path / "of-0.html")
    assert (tmp_path / "of-0.html").read_text() == text
    ranks[:1].report(page, title="A <job>")
    assert "<title>A &lt;job&gt;" in page.read_text()
    with pytest.raises(OSError, match="missing"):
        ranks.report(tmp_path / "missing" / "ranks.html")
    done = subprocess.run([*command, "--json"], capture_output=True, text=True)
    assert done.returncode == 2 and "leave out --json or -o" in done.stderr


def test_workers_of_a_rank(folder):
    """Two processes with one number."""
    environment = {**os.environ, "RANK": "2", "WORLD_SIZE": "4"}
    code = "import leakgraph; leakgraph.save_snapshot('worker-{rank}.lgs')"
    command = [sys.executable, "-c", code]
    worker = subprocess.Popen(command, cwd=folder, env=environment)
    assert worker.wait() == 0
    names = ["rank-2.lgs", "worker-2.lgs", "rank-1.lgs"]
    ranks = leakgraph.ranks(*(folder / name for name in names), min_bytes="64 KiB")
    first, second, third = (rank.name for rank in ranks.ranks)
    assert first.startswith("2 (pid ") and second == f"2 (pid {worker.pid})"
    found = {row.held_by: row.rank for row in ranks}
    assert third == "1" and found["__main__.dataset"] in (first, second)
