import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import suite

FILES = suite.files_in("tests")


@pytest.mark.parametrize("count", [1, 2, 6])
def test_parts_hold_each_file_once_and_are_alike(count):
    made = suite.parts(FILES, count)
    assert len(made) == count
    assert sorted(file for part in made for file in part) == sorted(FILES)
    costs = [sum(map(suite.cost, part)) for part in made]
    assert costs == sorted(costs, reverse=True)
    assert costs[0] < costs[-1] * 1.2


def test_the_slowest_files_are_there():
    assert {*suite.SECONDS, *suite.WAITING} <= {Path(file).stem for file in FILES}


def test_of_few_files_no_part_is_empty():
    assert sorted(suite.parts(FILES[:2], 6)) == [(file,) for file in sorted(FILES[:2])]


def test_every_test_runs_somewhere(tmp_path):
    runs = suite.runs_of("3.9-", "python", tmp_path, "mark", "tests/py")
    files = [file for one in runs for file in one.files]
    assert "tests/py/test_sizes.py" in files and len(files) == len(set(files))
    assert not [file for file in files if not file.startswith("tests/py/")]
    assert len({one.junit for one in runs}) == len(runs) == suite.PARTS
    assert [one.files for one in runs if one.waits] == [("tests/py/test_attach.py",)]


def test_what_waits_is_one_run(tmp_path):
    runs = suite.runs_of("", "python", tmp_path, "mark", "tests")
    (waiting,) = [one.files for one in runs if one.waits]
    assert [Path(file).stem for file in waiting] == [*suite.WAITING]


def test_all_tests_are_those_in_c_and_in_python(tmp_path, monkeypatch):
    asked = []

    def fail_first(runs):
        asked.extend(runs)
        return asked[:1]

    monkeypatch.setattr(suite, "run_all", fail_first)
    assert suite.main(tmp_path) == 1
    in_c, *in_python = asked
    assert in_c.junit == tmp_path / "junit-c.xml" and in_c.waits
    assert in_c.command[1:] == ("--preset", "dev")
    assert {one.marked for one in in_python} == {suite.LIBRARIES, suite.OTHERS}
    assert {*suite.files_in("tests")} == {f for one in in_python for f in one.files}
    monkeypatch.setattr(suite, "run_all", lambda _: [])
    assert suite.main(tmp_path) == 0


def test_a_python_between_others_runs_each_test_once_and_some_in_each_part(tmp_path):
    runs = suite.runs_of("3.9-", "python", tmp_path, suite.BETWEEN, "tests/py")
    assert len(runs) == suite.FEW_PARTS
    (marked,) = {one.marked for one in runs}
    every = suite.files_in("tests/py")
    collect = ("-qq", "--collect-only", "--assert=plain", "-m", marked, *every)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *collect],
        cwd=suite.tracked.ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert done.returncode == 0
    counts = dict(re.findall(r"^(\S+\.py): (\d+)$", done.stdout, re.MULTILINE))
    files = [file for one in runs for file in one.files]
    assert {*counts} <= {*files} and len(files) == len({*files}) < len(every)
    for one in runs:
        assert sum(int(counts.get(file, 0)) for file in one.files) > 0, one.files


def test_files_of_which_no_test_runs_are_not_collected():
    kept = suite.selected(FILES, suite.OTHERS)
    left = {*FILES} - {*kept}
    assert "tests/py/test_torch_bound.py" in left
    assert not left & {"tests/py/test_why.py", "tests/py/test_view.py"}
    assert "tests/py/test_view.py" not in suite.selected(FILES, suite.EVERYWHERE)
    assert suite.selected(FILES, suite.LIBRARIES) == FILES


def test_files_that_need_libraries_run_somewhere(tmp_path):
    runs = suite.library_runs("python", tmp_path)
    files = [file for one in runs for file in one.files]
    assert "tests/py/test_torch_names.py" in files and len(files) == len(set(files))
    assert sorted(files) == sorted(suite.matching(FILES, "mark.libraries"))
    assert "tests/py/test_node.py" not in files
    examples, forking, malloced, *_, importing = (one.files for one in runs)
    assert "tests/py/test_torch_names.py" in forking
    assert "tests/py/test_torch_bytes.py" in malloced
    assert all(file.startswith("tests/examples/") for file in examples)
    assert len(examples) > 3
    assert "tests/py/test_torch_bound.py" in importing
    assert len({one.junit for one in runs}) == len(runs)


def test_idle_threads_do_not_spin_unless_asked_to(tmp_path):
    (tmp_path / "test_policy.py").write_text(
        "import os\ndef test(): assert os.environ['OMP_WAIT_POLICY'] == 'passive'\n"
    )
    file = (str(tmp_path / "test_policy.py"),)
    quiet = {name: os.environ[name] for name in os.environ if name[:3] != "OMP"}
    busy = {**quiet, "OMP_WAIT_POLICY": "active"}
    runs = [
        suite.Run("quiet", sys.executable, tmp_path, "", file, quiet),
        suite.Run("busy", sys.executable, tmp_path, "", file, busy),
    ]
    assert suite.run_all(runs) == runs[1:]


def test_what_waits_runs_beside_the_others(tmp_path, monkeypatch):
    """It ends when the second of the others has, which run one after the other."""
    monkeypatch.setattr(suite, "AT_ONCE", 1)
    (tmp_path / "test_waiting.py").write_text(
        "import pathlib, time\n"
        "done = pathlib.Path(__file__).with_name('done')\n"
        "def test():\n"
        "    for _ in range(6000):\n"
        "        if done.exists(): return\n"
        "        time.sleep(0.01)\n"
        "    assert done.exists()\n"
    )
    (tmp_path / "test_quick.py").write_text("def test(): pass\n")
    (tmp_path / "test_last.py").write_text(
        "import pathlib\ndef test(): pathlib.Path(__file__).with_name('done').touch()\n"
    )
    runs = [
        suite.Run(name, sys.executable, tmp_path, "", (str(tmp_path / file),), waits=it)
        for name, file, it in [
            ("waiting", "test_waiting.py", True),
            ("quick", "test_quick.py", False),
            ("last", "test_last.py", False),
        ]
    ]
    assert suite.run_all(runs) == []


def test_runs_report_and_fail(tmp_path, capfd):
    (tmp_path / "test_fine.py").write_text("def test_fine(): pass\n")
    (tmp_path / "test_wrong.py").write_text("def test_wrong(): assert 1 == 2\n")
    runs = [
        suite.Run(name, sys.executable, tmp_path, "", (str(tmp_path / file),))
        for name, file in [
            ("fine", "test_fine.py"),
            ("wrong", "test_wrong.py"),
            ("none", "test_missing.py"),
        ]
    ]
    runs[2].junit.write_text("what an earlier run left")
    assert suite.run_all(runs) == runs[1:]
    assert "assert 1 == 2" in capfd.readouterr().out
    assert "earlier" not in runs[2].junit.read_text()
