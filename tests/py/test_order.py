"""Snapshots of one process are compared in the order of their times."""

import itertools
import json
import shutil
import subprocess
import sys
import types

import pytest

import leakgraph

pytestmark = [pytest.mark.ends, pytest.mark.small]
program = types.SimpleNamespace()
COMMAND = shutil.which("leakgraph")
ships_command = pytest.mark.skipif(COMMAND is None, reason="needs the command")


def make():
    def done():
        pass

    return done


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Three snapshots of lists that grow, two of the same functions, and summaries."""
    folder = tmp_path_factory.mktemp("order")
    program.held, program.one, program.other = [], [], []
    made = []
    for number in range(3):
        program.held += [bytes(3000 + i) for i in range(50)]
        both = [make() for _ in range(50 + 90 * number)]
        program.one += both
        program.other += both
        snapshot = leakgraph.snapshot()
        snapshot.summary(folder / f"{number}.lgsum")
        made.append((snapshot, snapshot.save(folder / f"{number}.lgs")))
    program.__dict__.clear()
    return folder, made


def row_of(growth):
    (row,) = (row for row in growth if "program.held" in row.held_by)
    return row.counts


@pytest.mark.parametrize("order", list(itertools.permutations(range(3)))[1:])
def test_files_are_sorted_by_time(files, order):
    _, made = files
    given = [made[at][1] for at in order]
    oldest, newest = order.index(0) + 1, order.index(2) + 1
    text = f"number {oldest} is the oldest, and number {newest} the newest"
    with pytest.warns(RuntimeWarning, match=text) as warned:
        growth = leakgraph.diff(*given, min_bytes=2000)
    assert warned[0].filename == __file__
    assert row_of(growth) == (50, 100, 150)
    assert "not in the order of their times, and are sorted" in str(growth)
    assert "are sorted" in json.loads(growth.json)["note"]
    (row,) = (row for row in growth if "program.held" in row.held_by)
    assert row.node.type_name == "bytes"


def words_of(answer):
    """Return the texts of rows. One of them names the functions of two lists."""
    texts = [row["text"] for row in json.loads(answer)["rows"]]
    assert sum(".make.<locals>.done accumulates" in text for text in texts) == 1
    return texts


def test_a_comparison_has_the_words_of_the_newest_in_any_order(files):
    _, made = files
    paths = [path for _, path in made]
    expected = words_of(leakgraph.diff(*paths).json)
    with pytest.warns(RuntimeWarning, match="are sorted"):
        loaded = leakgraph.diff(made[2][0], paths[0], made[1][0])
    assert words_of(loaded.json) == expected
    if COMMAND is not None:
        done = command("diff", "--json", paths[2], paths[0], paths[1])
        assert words_of(done.stdout) == expected


def test_the_older_of_two_is_named(files):
    _, made = files
    with pytest.warns(RuntimeWarning, match="the second is older than the first"):
        growth = made[1][0].diff(made[0][0], min_bytes=2000)
    assert row_of(growth) == (50, 100)


def test_snapshots_and_summaries_are_sorted_with_their_steps(files):
    folder, made = files
    given = [made[2][0], folder / "0.lgsum", made[1][0]]
    growth = leakgraph.diff(*given, min_bytes=2000, steps=[30, 10, 20])
    assert row_of(growth) == (50, 100, 150)
    assert growth[0].per_step == pytest.approx(growth[0].gained / 20, rel=0.05)
    summaries = [folder / f"{number}.lgsum" for number in (2, 1, 0)]
    assert row_of(leakgraph.diff(*summaries, min_bytes=2000)) == (50, 100, 150)


def test_a_page_is_of_the_newest_and_says_so(files, tmp_path):
    folder, made = files
    first = leakgraph.load(made[0][1])
    later = [made[2][1], folder / "1.lgsum"]
    page = tmp_path / "page.html"
    first.report(page, earlier=later)
    text = page.read_text()
    head = text[text.index("<header>") : text.index("</header>")]
    assert "not in the order of their times, and are sorted" in head
    assert text.count("not in the order of their times") == 1
    assert "two snapshots" not in head
    assert f"<b>{len(made[2][0]):,}</b> objects" in text
    assert "program.held" in text
    with pytest.raises(leakgraph.ArgumentError, match="newest of several must be a sn"):
        first.report(page, earlier=[folder / "1.lgsum"])


def test_a_page_of_two_snapshots_begins_with_what_they_cannot_tell(files, tmp_path):
    _, made = files
    made[1][0].report(tmp_path / "page.html", earlier=[made[0][1]])
    text = (tmp_path / "page.html").read_text()
    head = text[text.index("<header>") : text.index("</header>")]
    assert "two snapshots cannot tell a leak from memory that is allocated once" in head
    assert "are sorted" not in head


def command(*arguments):
    return subprocess.run(
        [COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=120
    )


@ships_command
def test_pictures_say_what_is_sorted(files, tmp_path):
    _, made = files
    picture = tmp_path / "picture.svg"
    done = command("render", "--diff", made[1][1], made[0][1], "-o", picture)
    assert done.returncode == 0, done.stderr
    assert "not in the order of their times, and are sorted" in picture.read_text()


GROWING = """
import sys
import leakgraph
held = [bytes(3000 + i) for i in range(int(sys.argv[2]))]
leakgraph.snapshot(keys=False).save(sys.argv[1])
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Snapshots of three processes: two of one program, one of another."""
    folder = tmp_path_factory.mktemp("runs")
    for script in ("train.py", "serve.py"):
        (folder / script).write_text(GROWING)
    commands = {
        "script": ["-u", "train.py", "script.lgs", "10"],
        "module": ["-m", "train", "module.lgs", "900"],
        "other": ["serve.py", "other.lgs", "10"],
    }
    for arguments in commands.values():
        subprocess.run([sys.executable, *arguments], cwd=folder, check=True)
    return folder


def test_a_snapshot_knows_its_program_and_no_argument(runs):
    infos = [leakgraph.load(runs / f"{n}.lgs").info() for n in ("script", "module")]
    assert [info["program"] for info in infos] == ["train.py", "-m train"]
    assert not any("script.lgs" in str(value) for value in infos[0].values())


@pytest.mark.parametrize(
    ("name", "heading"), [("script", "train.py"), ("module", "python -m train")]
)
def test_a_report_is_headed_by_what_python_runs(runs, name, heading):
    page = runs / f"{name}.html"
    leakgraph.load(runs / f"{name}.lgs").report(page)
    text = page.read_text("utf-8")
    assert f"<h1>{heading}</h1>" in text and f" that runs {heading}, pid " in text


def test_processes_of_one_program_are_compared(runs):
    growth = leakgraph.diff(runs / "module.lgs", runs / "script.lgs")
    assert "the snapshots are of different processes" in str(growth)
    assert "are sorted" in str(growth)
    assert next(row for row in growth if "held" in row.held_by).counts == (10, 900)


def test_programs_are_not_compared(runs, tmp_path):
    said = "is of train.py, and snapshot 2 is of serve.py: compare snapshots of one"
    given = [runs / "script.lgs", runs / "other.lgs"]
    older, newer = map(leakgraph.load, given)
    older.summary(tmp_path / "older.lgsum")
    with pytest.raises(leakgraph.ArgumentError, match=said):
        leakgraph.diff(tmp_path / "older.lgsum", newer)
    with pytest.raises(leakgraph.ArgumentError, match=said):
        newer.report(tmp_path / "page.html", earlier=[older])
    growth = leakgraph.diff(*given, other_programs=True)
    assert "is of train.py, and snapshot 2 is of serve.py: what only" in str(growth)


@ships_command
@pytest.mark.parametrize("verb", ["diff", "render --diff -o x.svg", "report -o x.html"])
def test_the_command_compares_no_programs(runs, verb):
    done = command(*verb.split(), runs / "script.lgs", runs / "other.lgs")
    assert done.returncode == 2
    assert "of serve.py: compare snapshots of one program" in done.stderr


@ships_command
def test_the_command_compares_programs_if_it_is_told_to(runs):
    given = [runs / "script.lgs", runs / "other.lgs"]
    done = command("diff", "--other-programs", *given)
    assert done.returncode == 0 and "and snapshot 2 is of serve.py" in done.stdout


def test_what_is_in_order_needs_no_word(files):
    _, made = files
    growth = leakgraph.diff(*(path for _, path in made), min_bytes=2000)
    assert "sorted" not in str(growth)
    assert json.loads(growth.json)["note"] is None
