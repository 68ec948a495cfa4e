"""A test marked `small` runs without pytest's heap, and fails as any other."""

import importlib.util
import os
from pathlib import Path

import pytest
from builds import needs_fork

FOLDER = Path(__file__).parent

TESTS = """
import os
import sys
import threading
import pytest

pytestmark = pytest.mark.small
made = []

@pytest.fixture(autouse=True)
def before():
    made.append("before")

@pytest.fixture
def lock(before):
    yield threading.Lock()

@pytest.mark.parametrize("word", ["a", "b"])
@pytest.mark.parametrize(("number", "text"), [(1, "1"), pytest.param(2, "2", id="2")])
def test_values(lock, tmp_path, monkeypatch, word, number, text):
    assert not [name for name in sys.modules if name.startswith("_pytest")]
    assert (str(number), made, lock.locked()) == (text, ["before"], False)
    monkeypatch.setitem(sys.modules, "other", sys)
    monkeypatch.setattr("other.argv", [word])
    with open(tmp_path.parent / "said", "a") as file:
        file.write(f"{number}{sys.argv[0]} ")

def test_fails():
    found = 40 + 2
    assert found == 43

def test_dies():
    os.abort()

@pytest.mark.ends
@pytest.mark.skipif(False, reason="runs")
def test_cannot_run():
    pytest.importorskip("no_such_module")
"""


@needs_fork
def test_values_failures_and_skips(python, tmp_path):
    (tmp_path / "conftest.py").write_text("from small_process import *")
    (tmp_path / "test_it.py").write_text(TESTS)
    done = python(
        *("-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider"),
        *("-W", "ignore::pytest.PytestUnknownMarkWarning", "--basetemp=made"),
        PYTHONPATH=os.pathsep.join([str(FOLDER), os.environ.get("PYTHONPATH", "")]),
    )
    assert "2 failed, 4 passed, 1 skipped" in done.out, done.out + done.err
    assert "found = 42" in done.out and "No module named 'no_such_module'" in done.out
    assert "the test ended with code -6" in done.out
    said = (tmp_path / "made" / "said").read_text().split()
    assert sorted(said) == ["1a", "1b", "2a", "2b"]


@pytest.fixture(scope="module")
def other():
    """The stand-in for pytest."""
    path = FOLDER / "small" / "pytest.py"
    spec = importlib.util.spec_from_file_location("other", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("kind", [AssertionError, ValueError])
def test_raises_fails_unless_the_block_raises_what_it_says(other, kind):
    with other.raises(kind, match=r"^4.$") as caught:
        raise kind("42")
    assert caught.value.args == ("42",)
    with pytest.raises(AssertionError, match="is not raised"), other.raises(kind):
        pass
    with pytest.raises(AssertionError, match="42"), other.raises(kind, match="43"):
        raise kind("42")
    with pytest.raises(TypeError), other.raises((kind, KeyError)):
        raise TypeError


@pytest.mark.parametrize(("actual", "near"), [(104, True), (106, False), (94, False)])
def test_numbers_are_near(other, actual, near):
    assert (actual == other.approx(100, rel=0.05)) is near
    assert (other.approx(100.001) == 100) is False


def test_what_is_not_known_is_refused(other):
    with pytest.raises(AssertionError, match="names its fixtures"):
        other.mark.usefixtures("still")
    with pytest.raises(AssertionError, match="filters warnings itself"):
        other.mark.filterwarnings("error")
    with pytest.raises(TypeError):
        other.fixture(params=[1])
    with pytest.raises(TypeError):
        other.mark.parametrize("made", [1], indirect=True)
    with pytest.raises(TypeError):
        other.raises(ValueError, int)
