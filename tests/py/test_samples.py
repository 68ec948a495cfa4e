"""Samples of memory between snapshots, and the chart that has them."""

import csv
import os
import shutil
import subprocess
import time

import pytest

import leakgraph
from leakgraph.samples import FLOORS, Log
from leakgraph.watching import Watch

pytestmark = pytest.mark.ends

COMMAND = shutil.which("leakgraph")


def rows_of(path):
    with open(path, encoding="ascii", newline="") as file:
        return list(csv.DictReader(file))


def test_a_watch_writes_each_sample(tmp_path):
    now = iter(range(1000))
    log = Log(tmp_path / "a.csv")
    watch = Watch(
        log=log,
        clock=lambda: float(next(now)),
        read=lambda: (2.0**40, 1.0, 2.0, 3.0, 4.0),
        background=False,
    )
    for _ in range(5):
        watch.step()
    watch.abandon()
    rows = rows_of(tmp_path / "a.csv")
    assert [row["step"] for row in rows] == ["1", "2", "3", "4", "5"]
    assert all(row["resident"] == str(2**40) for row in rows)
    assert abs(float(rows[-1]["time"]) - time.time()) < 3600


def test_watch_takes_a_path(tmp_path):
    with leakgraph.watch(samples=tmp_path / "a.csv") as watch:
        watch.step()
    [row] = rows_of(tmp_path / "a.csv")
    assert int(row["resident"]) > 1 << 20


def test_a_full_disk_ends_the_file_and_not_the_program():
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    with pytest.raises(OSError, match="space"):
        Log("/dev/full")


def test_a_file_that_fails_later_does_no_harm(tmp_path):
    log = Log(tmp_path / "a.csv")
    log.add((1.0,))
    log.close()
    log.add((2.0,))
    [row] = rows_of(tmp_path / "a.csv")
    assert row["resident"] == "1" and row["malloc"] == ""
    assert len(Log.NAMES.split(",")) == len(FLOORS) + 2


def test_a_report_draws_them(snap, tmp_path):
    now = time.time()
    samples = tmp_path / "a.csv"
    lines = [f"{now - 7200 + 60 * i:.3f},{(100 + i) << 20}" for i in range(120)]
    samples.write_text("\n".join(["time,resident", *lines, ""]))
    snap.report(tmp_path / "a.html", samples=samples)
    page = (tmp_path / "a.html").read_text("utf-8")
    chart = page.partition('<svg class="memory"')[2].partition("</svg>")[0]
    assert "Memory over time" in page
    assert ">1 h<" in chart and ">0 s<" in chart
    points = chart.partition('class="rss"')[2].partition('points="')[2]
    assert len(points.partition('"')[0].split()) == 120
    with pytest.raises(leakgraph.FileError, match="no columns"):
        samples.write_text("a,b\n1,2\n")
        snap.report(tmp_path / "b.html", samples=samples)
    assert not (tmp_path / "b.html").exists()


@pytest.mark.skipif(COMMAND is None, reason="needs the command")
def test_the_command_draws_them(snap, tmp_path):
    now = time.time()
    snap.save(tmp_path / "a.lgs")
    lines = [f"{now + i:.3f},{(100 + i) << 20}" for i in range(3)]
    (tmp_path / "a.csv").write_text("\n".join(["time,resident", *lines, ""]))
    words = [COMMAND, "report", "a.lgs", "-o", "a.html", "--samples", "a.csv"]
    subprocess.run(words, cwd=tmp_path, check=True)
    assert "Memory over time" in (tmp_path / "a.html").read_text("utf-8")


def test_a_peak_between_thousands_of_samples_is_drawn(snap, tmp_path):
    start = time.time() - 5000
    sizes = [100 << 20] * 5000
    sizes[2503] = 900 << 20
    lines = [f"{start + i:.3f},{size}" for i, size in enumerate(sizes)]
    (tmp_path / "a.csv").write_text("\n".join(["time,resident", *lines, ""]))
    snap.report(tmp_path / "a.html", samples=tmp_path / "a.csv")
    page = (tmp_path / "a.html").read_text("utf-8")
    points = page.partition('class="rss"')[2].partition('points="')[2].partition('"')[0]
    heights = [float(point.partition(",")[2]) for point in points.split()]
    assert len(heights) <= 501
    assert min(heights) < 11 and sum(height < 100 for height in heights) == 1
