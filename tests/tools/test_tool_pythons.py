import os
import subprocess
import sys
import sysconfig
import threading

import pytest
import pythons


def test_this_interpreter_is_probed():
    one = pythons.probe(sys.executable)
    assert one.version == sys.version_info[:3]
    assert one.free_threaded == bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    assert one.path


def test_a_build_without_the_lock_has_a_name_of_its_own():
    assert pythons.Interpreter((3, 14, 7), False, "python").name == "3.14.7"
    assert pythons.Interpreter((3, 14, 7), True, "python").name == "3.14.7t"


def test_what_does_not_run_is_no_interpreter(tmp_path):
    broken = tmp_path / "python3.12"
    broken.write_text("#!/bin/sh\necho no such version >&2\nexit 127\n")
    broken.chmod(0o755)
    assert pythons.probe(broken) is None
    assert pythons.probe(tmp_path / "missing") is None


def pretended(tmp_path, answer):
    """Make an interpreter that reports these properties."""
    script = tmp_path / answer.replace(" ", "-")
    script.write_text(f"#!/bin/sh\necho {answer} {script}\n")
    script.chmod(0o755)
    return str(script)


@pytest.fixture
def commands(tmp_path, monkeypatch):
    """An empty folder, the only one in which interpreters are looked for."""
    folder = tmp_path / "commands"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "none"))
    return folder


def test_the_preferred_one_of_a_version_is_taken(tmp_path, commands):
    preferred = pretended(tmp_path, "3 10 99 0")
    again = pretended(tmp_path, "3 10 99  0")
    os.link(pretended(commands, "3 10  99 0"), commands / "python3.10")
    older = pretended(commands, "3 9 7 0")
    os.link(older, commands / "python3.9")
    paths = [one.path for one in pythons.installed(preferred, again)]
    assert paths == [older, preferred]


def test_versions_that_cannot_be_captured_are_left_out(tmp_path, commands):
    odd = [
        pretended(tmp_path, answer) for answer in ("3 8 1 0", "3 16 0 0", "2 7 18 0")
    ]
    assert pythons.installed(*odd) == []


def test_a_library_without_a_wheel_is_left_out(tmp_path, monkeypatch, capsys):
    ran = []

    def run(command, check=False):
        ran.append(command[1:])
        fails = command[-1] == "greenlet"
        return subprocess.CompletedProcess(command, int(fails))

    monkeypatch.setattr(pythons.subprocess, "run", run)
    for _ in range(2):
        pythons.environment(tmp_path, "python3.99")
    installed = [command[3:] for command in ran if command[1] == "pip"]
    assert [command[-1] for command in installed] == ["pytest", "numpy", "greenlet"]
    assert all("--only-binary=:all:" in command for command in installed[1:])
    assert capsys.readouterr().out == "== no greenlet for python3.99\n"


def test_interpreters_are_prepared_at_once(monkeypatch):
    both = threading.Barrier(2)
    made = []

    def environment(folder, python):
        both.wait(60)
        return folder / python

    monkeypatch.setattr(pythons, "environment", environment)
    monkeypatch.setattr(pythons, "build", lambda *arguments: made.append(arguments))
    found = {(3, 9): "one", (3, 10): "other"}
    assert pythons.all_prepared(found) == {
        version: (
            pythons.tracked.ROOT / f".venv-{version[0]}.{version[1]}" / python,
            pythons.tracked.ROOT / f"build/py{version[0]}.{version[1]}",
        )
        for version, python in found.items()
    }
    assert len(made) == 2


def test_an_interpreter_that_cannot_be_prepared_ends_it_all(monkeypatch):
    def environment(folder, python):
        raise subprocess.CalledProcessError(1, python)

    monkeypatch.setattr(pythons, "environment", environment)
    with pytest.raises(subprocess.CalledProcessError):
        pythons.all_prepared({(3, 9): "python3.9"})


def test_free_threaded_builds_are_the_matrix_s_affair(tmp_path, monkeypatch):
    free = pythons.probe(pretended(tmp_path, "3 9 0 1"))
    monkeypatch.setattr(pythons, "installed", lambda: [free])
    assert pythons.interpreters() == {}


def test_the_ends_share_files_that_are_about_answers():
    oldest, newest = (3, 9), (3, 13)
    left = pythons.shares([oldest, newest])
    files = pythons.suite.marked_wholly(pythons.suite.files_in("tests/py"), "ends")
    assert sorted(left[oldest] + left[newest]) == sorted(files)
    assert "tests/py/test_growth.py" in files
    assert "tests/py/test_native_growth.py" in files
    assert "tests/py/test_layouts.py" not in files


def test_a_single_end_leaves_no_file_out():
    assert pythons.shares([(3, 9), (3, 9)]) == {(3, 9): []}


def test_this_version_is_not_built_again(commands):
    major, minor, *_ = sys.version_info
    another = minor - 1 if minor > 9 else minor + 1
    made = [pretended(commands, f"{major} {one} 0 0") for one in (minor, another)]
    for path, one in zip(made, (minor, another)):
        os.link(path, commands / f"python{major}.{one}")
    assert pythons.interpreters() == {(major, another): made[1]}
