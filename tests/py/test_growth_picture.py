"""Tests the faces of a Growth: its drawing, and the charts of its HTML."""

import json
import re
import subprocess
import sys
from shutil import which

import pytest

import leakgraph

pytestmark = pytest.mark.ends


class Holder:
    def __init__(self):
        self.history = []
        self.log = bytearray()


holder = Holder()


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    folder = tmp_path_factory.mktemp("growth")
    holder.__init__()
    made = []
    for number in range(3):
        holder.history += [[0.0] * 100 for _ in range(100)]
        holder.log += bytes(100_000)
        made.append(str(folder / f"{number}.lgs"))
        leakgraph.save_snapshot(made[-1])
    return made


@pytest.fixture(scope="module")
def growth(paths):
    return leakgraph.diff(*paths, steps=[100, 200, 300], min_bytes=10_000)


def test_the_way_and_its_series(growth):
    text = growth.drawing.text
    assert text.startswith("module ")
    assert re.search(r"─ \.history  list  ", text)
    assert re.search(r"\[\*\]  300 list · ▃▅█ 100 → 300 · \+\d+ B per step", text)
    # What grows in place has a series of bytes.
    assert re.search(
        r"\.log  bytearray · .+ KiB → \d+ KiB · \+[\d.,]+ (B|KiB) per step", text
    )
    assert text.count("module ") == 1


def test_as_json_and_dot(growth):
    parsed = json.loads(growth.drawing.json)
    assert parsed["direction"] == "growth"
    subjects = [node["title"] for node in parsed["nodes"] if node.get("subject")]
    assert len(subjects) == len(growth)
    assert len(parsed["edges"]) == len(parsed["nodes"]) - 1
    assert f"{len(growth)} places grow: +" in growth.drawing.dot
    assert "two snapshots" not in growth.drawing.dot


class Loss:
    def __init__(self):
        self.data = bytearray(900)


class Rate(Loss):
    pass


def test_a_box_for_several_types_says_so(tmp_path):
    held = holder.lists = {"losses": [], "rates": []}
    files = [tmp_path / f"{number}.lgs" for number in range(3)]
    for file in files:
        held["losses"] += [Loss() for _ in range(100)]
        held["rates"] += [Rate() for _ in range(100)]
        leakgraph.save_snapshot(file)
    del holder.lists
    growth = leakgraph.diff(*files)
    assert re.search(r"(Loss|Rate) and 1 more accumulates", str(growth))
    assert re.search(r"(Loss|Rate) and 1 more · ▃▅█ 200 → 600", growth.drawing.text)
    subprocess.run(
        [which("leakgraph"), "report", *files, "-o", "r.html"], cwd=tmp_path, check=True
    )
    page = (tmp_path / "r.html").read_text("utf-8")
    assert len(re.findall(r"600 (?:Loss|Rate) and 1 more", page)) > 1


def test_two_snapshots(paths):
    drawing = leakgraph.diff(*paths[:2]).drawing
    assert "two snapshots" in drawing.dot
    assert " per snapshot" in drawing.text


def test_nothing_grows(paths):
    growth = leakgraph.diff(paths[0], paths[0], paths[0])
    assert growth.drawing.nodes == 0
    assert "Nothing grows" in growth.drawing.dot


def test_native_growth_has_a_box_of_its_own(native_leak):
    growth = leakgraph.diff(*native_leak)
    assert "native" in [row.verdict for row in growth]
    drawn = r"memory that no object explains.* · .+ → .+MiB · \+.+ per snapshot"
    assert re.search(drawn, growth.drawing.text)


def test_summaries_give_the_same(paths, growth, tmp_path):
    summaries = [
        leakgraph.load(path).summary(tmp_path / f"{number}.lgsum")
        for number, path in enumerate(paths)
    ]
    again = leakgraph.diff(*summaries, steps=[100, 200, 300], min_bytes=10_000)
    assert again.drawing.text == growth.drawing.text


def test_the_charts_of_html(growth):
    html = growth._repr_html_()
    charts = re.findall(
        r'<svg width="80" height="20" role="img" aria-label="from (\d+) to (\d+)">'
        r'<polyline [^>]*points="([\d, ]+)"/><circle [^>]*/></svg>',
        html,
    )
    assert len(charts) == len(growth)
    # All have one scale, from zero.
    heights = [
        [17 - int(point.split(",")[1]) for point in points.split()]
        for _, _, points in charts
    ]
    assert max(map(max, heights)) == 14
    for (_, last, _), drawn in zip(charts, heights):
        biggest = max(int(most) for _, most, _ in charts)
        assert drawn[-1] == int(14 * int(last) / biggest)
        assert drawn[0] == pytest.approx(drawn[-1] / 3, abs=1.5)
    assert "<script" not in html.partition("</table>")[0]


def test_the_command(paths, growth, tmp_path):
    command = which("leakgraph")
    if command is None:
        pytest.skip("the command is not on the path")

    def run(*arguments):
        done = subprocess.run(
            [command, "render", "--diff", *arguments],
            capture_output=True,
            text=True,
            cwd=tmp_path,
        )
        return done.returncode, done.stdout, done.stderr

    options = ["--steps", "100,200,300", "--min-bytes", "10000"]
    code, out, _ = run(*paths, *options, "-o", "-", "--format", "dot")
    assert code == 0
    assert out == growth.drawing.dot
    assert run(*paths, "-o", "growth.svg")[0] == 0
    assert "<svg" in (tmp_path / "growth.svg").read_text()
    code, _, err = run(paths[0], "-o", "growth.svg")
    assert code == 2
    assert "render --diff needs OLD NEW" in err
    assert run(*paths, "--why", "-o", "growth.svg")[0] == 2


def test_pictures_count_the_objects_that_all_faces_count(paths, growth, tmp_path):
    assert "objects in the snapshot" not in growth.drawing.dot
    with leakgraph.load(paths[-1]) as snapshot:
        count = f"{len(snapshot):,}"
        page = tmp_path / "report.html"
        snapshot.report(page, earlier=paths[:-1])
    text = page.read_text("utf-8")
    assert f"It has <b>{count}</b> objects" in text
    drawn = re.findall(r"([\d,]+) objects in the snapshot", text)
    assert drawn and set(drawn) == {count}


class 数据(list):
    """Its name has characters that few fonts have."""


def test_bars_and_tall_characters_reach_into_no_other_line(tmp_path):
    holder.__init__()
    snapshots = []
    for _ in range(4):
        holder.history += [数据([0.0] * 100) for _ in range(100)]
        snapshots.append(leakgraph.snapshot())
    growth = leakgraph.diff(*snapshots, min_bytes=10_000)
    growth.drawing.save(tmp_path / "growth.svg")
    drawn = (tmp_path / "growth.svg").read_text("utf-8")
    boxes = drawn.split('class="node">')[1:]
    (box,) = (box.split("</g>")[0] for box in boxes if "数据" in box.split("</g>")[0])
    bars = re.findall(r'<polygon [^>]*points="([^"]*)"', box)
    assert len(bars) == 4 and not re.search(r"<text[^>]*>[^<]*[▁-█]", box)
    right = max(float(point.split(",")[0]) for bar in bars for point in bar.split())
    texts = re.findall(r'<text [^>]* x="(.*?)" y="(.*?)"[^>]*>([^<]*\S[^<]*)<', box)
    assert min(float(x) for x, _, _ in texts) > right
    lines = sorted({float(y) for _, y, _ in texts})
    assert len(lines) == 2 and lines[1] - lines[0] >= 14


IMPORTING = """
import leakgraph
leakgraph.save_snapshot("before.lgs")
import imported_one
leakgraph.save_snapshot("after.lgs")
"""


def test_a_module_that_is_imported_has_its_name(tmp_path):
    (tmp_path / "imported_one.py").write_text("data = [bytes(100) for _ in range(999)]")
    (tmp_path / "run.py").write_text(IMPORTING)
    subprocess.run([sys.executable, "run.py"], cwd=tmp_path, check=True)
    growth = leakgraph.diff(tmp_path / "before.lgs", tmp_path / "after.lgs")
    assert "module imported_one settled" in str(growth)
