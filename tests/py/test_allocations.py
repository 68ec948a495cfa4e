"""Which line allocated what, and who holds it."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import leakgraph

pytestmark = pytest.mark.ends

HERE = Path(__file__).parent
COMMAND = shutil.which("leakgraph")
#: What holds the notes. Up to 3.10, the line that makes them also makes the dict of the
#: object that has them, which stands for all in it.
NOTES = "__main__.app.sessions[*]" + ".notes" * (sys.version_info >= (3, 11))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("allocated")


@pytest.fixture(scope="module")
def told(isolated, folder):
    """What a snapshot tells of a program that tracemalloc traces."""
    done = isolated("allocated.py", folder)
    assert done.code == 0, done.err
    return json.loads(done.out)


def test_each_line_stands_beside_what_holds_what_it_made(told):
    counts = {}
    for mark, held_by, count, _ in told["rows"]:
        # A list from a free list has no line, so its items stand for themselves.
        place = held_by.replace(".notes[*]", ".notes")
        counts[mark, place] = counts.get((mark, place), 0) + count
    assert counts["notes", NOTES] >= 300 * 20
    assert counts["session", "__main__.app.sessions[*]"] >= 300
    assert told["now"] and told["file"]


def test_what_many_modules_have_is_named_after_none_of_them(told):
    rules = [(path, count) for mark, path, count, _ in told["rows"] if mark == "rules"]
    of_all = sum(count for path, count in rules if path.startswith("sys.modules[*]"))
    assert of_all >= 300 * 20
    assert of_all >= 0.9 * sum(count for _, count in rules)


def test_what_one_of_many_modules_has_is_named_after_it(told):
    places = [path for mark, path, _, _ in told["rows"] if mark == "alone"]
    assert places and all(path.startswith("plugin_1007.ALONE") for path in places)


def test_what_a_line_gave_one_of_many_modules_is_named_after_it(told):
    places = [path for mark, path, _, _ in told["rows"] if mark == "own"]
    assert places and all(path.startswith("plugin_1009.TABLE") for path in places)


def test_what_several_hold_says_so(told):
    shared = [held_by for mark, held_by in told["shared"] if mark == "both"]
    assert shared == ["__main__.first[*]"]
    assert not [mark for mark, _ in told["shared"] if mark in ("session", "notes")]
    assert "__main__.first[*] and others\n" in told["text"]
    assert "__main__.app.sessions[*] and others" not in told["text"]


def test_what_an_import_makes_has_the_line_of_the_import(told):
    places = {held_by for mark, held_by, _, _ in told["rows"] if mark == "import"}
    assert any(place.startswith("imported") for place in places)
    assert told["importing"] == []


def test_what_was_there_before_has_no_line(told):
    assert told["before"] == []


#: What was there before the lines that let it grow.
GROWN = {
    "list": "numbers",
    "dict": "names",
    "set": "seen",
    "bytearray": "packets",
    "array": "readings",
}


@pytest.mark.parametrize("kind", GROWN)
def test_a_table_has_the_line_that_let_it_grow(told, kind):
    held_by = GROWN[kind]
    sizes = [
        (place, count, size)
        for mark, place, count, size in told["rows"]
        if mark == kind
    ]
    assert sizes == [(f"__main__.{held_by}", 1, told["tables"][kind])]


def test_why_says_the_line(told):
    assert "allocated.py:" in told["why"]


def test_stacks_end_in_what_holds(told, folder):
    stacks = Path(folder / "a.allocations.folded").read_text("utf-8").splitlines()
    script = (HERE / "isolated/allocated.py").read_text("utf-8").splitlines()
    (number,) = (at for at, line in enumerate(script, 1) if line.endswith("# notes"))
    mine = [one for one in stacks if f"allocated.py:{number};__main__" in one]
    assert mine and all(".sessions dict" in one for one in mine)
    total = sum(int(one.rpartition(" ")[2]) for one in mine)
    sizes = [size for mark, _, _, size in told["rows"] if mark == "notes"]
    assert sum(sizes) == pytest.approx(total, rel=0.01)  # the dict's own share


def test_the_report_draws_them(told, folder):
    page = (folder / "a.html").read_text("utf-8")
    assert page.count('<svg class="flame"') == 1
    drawn = page.partition('<svg class="flame"')[2].partition("</svg></div>")[0]
    assert "allocated.py:" in drawn and "shared: bytes" in drawn
    boxes = re.findall(r'<svg x="([\d.]+)" y="19" [^>]*width="([\d.]+)"', drawn)
    end = max(float(left) + float(width) for left, width in boxes)
    assert end == pytest.approx(1000, abs=2)
    assert re.search(r"[\d,]+ more lines", drawn)


@pytest.mark.parametrize(
    ("options", "message"),
    [({}, "needs tracemalloc: start it"), ({"native": True}, "need two snapshots")],
)
def test_snapshots_that_cannot_have_lines(options, message):
    with pytest.raises(leakgraph.ArgumentError, match=message):
        leakgraph.snapshot(allocations=True, **options)


def test_a_child_does_not_ask(python):
    done = python(
        "-X",
        "tracemalloc",
        "-c",
        "import leakgraph\n"
        "try: leakgraph.save_snapshot('a.lgs', allocations=True, fork=True)\n"
        "except leakgraph.ArgumentError as error: print(error)\n"
        "leakgraph.save_snapshot('b.lgs', allocations=True)",
    )
    assert "leave fork out" in done.out
    assert (done.folder / "b.lgs").exists()


def test_a_snapshot_without_lines_says_how_to_get_them(snap, tmp_path):
    assert not snap.allocations().traced
    assert "allocations=True" in str(snap.allocations())
    with pytest.raises(leakgraph.Error, match="knows no lines"):
        snap.export(tmp_path / "a.allocations.folded")
    snap.report(tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text("utf-8")
    assert '<svg class="flame"' not in page


@pytest.mark.skipif(COMMAND is None, reason="needs the command")
def test_the_command_prints_both(told, folder):
    words = [COMMAND, "allocations", folder / "a.lgs", "--mine", "--by", "holder"]
    done = subprocess.run(
        words,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "COLUMNS": "300"},
    )
    assert "__main__.app.sessions[*].notes" in done.stdout
    assert "allocated.py:" in done.stdout
