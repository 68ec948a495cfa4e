"""A test marked `small` runs without pytest's heap, and fails as any other."""

import importlib.util
import os
import re
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

import pytest
from builds import needs_fork

FOLDER = Path(__file__).parent

TESTS = """
import os
import sys
import threading
import warnings
import pytest

pytestmark = pytest.mark.small
made = []

@pytest.fixture(autouse=True)
def before():
    made.append("before")

@pytest.fixture
def lock(before):
    yield threading.Lock()

@pytest.fixture
def thread():
    over = threading.Event()
    threading.Thread(target=over.wait).start()
    yield over
    over.set()

@pytest.fixture
def checked():
    found = []
    yield found
    assert found == ["by its fixture"]

@pytest.fixture
def after():
    made.append("after")

@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("folder")

@pytest.fixture(scope="module")
def once(folder):
    assert "_pytest" not in sys.modules
    said = os.path.join(os.path.dirname(__file__), "ended")
    yield folder, os.getpid()
    with open(said, "a") as file:
        file.write("once ")

@pytest.fixture(scope="module")
def impossible():
    pytest.importorskip("no_module_of_this_name")

@pytest.fixture(scope="module")
def unused():
    os.abort()

@pytest.mark.parametrize("word", ["a", "b"])
@pytest.mark.parametrize(("number", "text"), [(1, "1"), pytest.param(2, "2", id="2")])
def test_values(lock, tmp_path, monkeypatch, word, number, text):
    assert not [name for name in sys.modules if name.startswith("_pytest")]
    assert (str(number), made, lock.locked()) == (text, ["before"], False)
    monkeypatch.setitem(sys.modules, "other", sys)
    monkeypatch.setattr("other.argv", [word])
    with open(tmp_path.parent / "said", "a") as file:
        file.write(f"{number}{sys.argv[0]} ")

@pytest.mark.usefixtures("after")
@pytest.mark.parametrize("number", [0, 1])
def test_made_once(once, folder, number):
    forks = os.environ["PROCESSES"] == "Warm"
    maker = os.getppid() if forks else os.getpid()
    assert once == (folder, maker) and made == ["before", "after"]
    assert len(os.listdir(folder)) == (number if forks else 0)
    (folder / str(number)).touch()

def test_cannot_be_made(impossible):
    raise ValueError

def test_warns():
    with pytest.warns(RuntimeWarning, match="m.re") as said:
        warnings.warn("more", RuntimeWarning)
    assert said[0].filename == __file__

def test_starts_a_thread(thread):
    assert not thread.is_set()

def test_fails_with_a_thread(thread):
    assert thread.is_set()

def test_fails_after_it(checked):
    checked.append("by nobody")

def test_fails():
    found = 40 + 2
    assert found == 43

def test_dies():
    os.abort()

def test_ends_the_process():
    os._exit(0)

def test_catches_its_failure():
    try:
        pytest.fail("not swallowed")
    except Exception:
        pass

async def test_is_not_awaited():
    pass

@pytest.fixture
def twice():
    yield
    yield

@pytest.fixture
def given_up():
    yield
    pytest.skip("hides nothing")

@pytest.fixture
def ends_first(given_up):
    yield
    raise ValueError("ends first")

@pytest.fixture
def rows():
    return (row for row in [5])

def test_goes_on_twice(twice):
    pass

def test_fails_before_a_skip(given_up):
    assert not "fails itself"

def test_fails_after_its_end(ends_first):
    assert not "fails, too"

def test_takes_an_iterator(rows):
    assert list(rows) == [5]

@pytest.mark.ends
@pytest.mark.skipif(False, reason="runs")
def test_cannot_run():
    pytest.importorskip("no_such_module")
"""


HOOKS = """
import os
import small_process
from small_process import pytest_fixture_setup, pytest_pyfunc_call

small_process.PROCESSES = getattr(small_process, os.environ["PROCESSES"])
"""

#: A free-threaded build has only new processes.
WAYS = [pytest.param("Warm", marks=needs_fork), "Cold"]


def run_of(python, folder, tests, processes):
    """Run these tests, with the hooks that conftest.py has."""
    (folder / "conftest.py").write_text(HOOKS)
    (folder / "test_it.py").write_text(tests)
    return python(
        *("-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider"),
        *("-W", "ignore::pytest.PytestUnknownMarkWarning", "--basetemp=made"),
        PYTHONPATH=os.pathsep.join([str(FOLDER), os.environ.get("PYTHONPATH", "")]),
        PROCESSES=processes,
    )


@pytest.mark.parametrize(("processes", "used"), [(*WAYS[0].values, 1), ("Cold", 2)])
def test_values_failures_and_skips(python, tmp_path, processes, used):
    done = run_of(python, tmp_path, TESTS, processes)
    assert "10 failed, 9 passed, 2 skipped" in done.out, done.out + done.err
    assert "found = 42" in done.out and "No module named 'no_such_module'" in done.out
    assert "no_module_of_this_name" in done.out and "['by nobody']" in done.out
    assert "the test ended with code -6" in done.out
    assert "the test ended with code 0" in done.out and "is it async?" in done.out
    assert "Failed: not swallowed" in done.out and "twice yields more" in done.out
    assert "fails itself" in done.out
    assert "ValueError: ends first" in done.out and "fails, too" in done.out
    said = (tmp_path / "made" / "said").read_text().split()
    assert sorted(said) == ["1a", "1b", "2a", "2b"]
    assert (tmp_path / "ended").read_text() == "once " * used


NOT_IMPORTED = """
import sys
import pytest

pytestmark = pytest.mark.small
if "_pytest" not in sys.modules:
    raise OSError("only pytest imports this")

def test_runs():
    pass

def test_runs_too():
    pass
"""

NOT_ENDED = """
import os
import pytest

pytestmark = pytest.mark.small

@pytest.fixture(scope="module")
def started():
    yield 1
    raise ValueError(os.environ["SMALL_FILE"])

def test_takes_it(started):
    pass
"""


@pytest.mark.parametrize("processes", WAYS)
@pytest.mark.parametrize(
    ("tests", "why"),
    [
        (NOT_IMPORTED, r"OSError: only pytest imports this"),
        (NOT_ENDED, r"ValueError: test_it"),
    ],
    ids=["not imported", "not ended"],
)
def test_a_process_that_cannot_start_or_end_says_why(
    python, tmp_path, tests, why, processes
):
    done = run_of(python, tmp_path, tests, processes)
    assert done.code == 1 and re.search(f"^E? *{why}", done.out, re.MULTILINE), done.out


@pytest.mark.parametrize("processes", WAYS)
def test_a_process_that_cannot_start_fails_all_tests(python, tmp_path, processes):
    done = run_of(python, tmp_path, NOT_IMPORTED, processes)
    assert "2 failed" in done.out and "passed" not in done.out


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


def test_changes_of_a_block_are_undone(other, tmp_path, monkeypatch):
    target, table, here = SimpleNamespace(kept=1), {"kept": 1}, os.getcwd()
    monkeypatch.setenv("KEPT", "1")
    with other.MonkeyPatch.context() as patch:
        for name in ("kept", "kept", "new"):
            patch.setattr(target, name, name, raising=False)
            patch.setitem(table, name, name)
            patch.setenv(name.upper(), name)
        patch.setattr("os.sep", "|")
        patch.setattr("importlib.util.sys.executable", "none")
        assert sys.executable == "none"
        patch.chdir(tmp_path)
        assert vars(target) == table == {"kept": "kept", "new": "new"}
        assert (os.environ["KEPT"], os.environ["NEW"]) == ("kept", "new")
        assert (os.sep, Path.cwd()) == ("|", tmp_path)
    assert vars(target) == table == {"kept": 1}
    assert os.environ["KEPT"] == "1" and "NEW" not in os.environ
    assert (os.sep, os.getcwd()) == ("/", here)
    with pytest.raises(AssertionError, match="missing"):
        other.MonkeyPatch().setattr(target, "missing", 1)


def test_a_test_may_say_that_it_fails(other):
    with pytest.raises(other.fail.Exception, match="because"):
        other.fail("because")


def test_warns_fails_unless_the_block_warns_what_it_says(other):
    with pytest.raises(AssertionError, match="Runtime"), other.warns(RuntimeWarning):
        pass
    some = other.warns((RuntimeWarning, SyntaxWarning), match="one")
    with pytest.raises(AssertionError, match=r"\['two'\]"), some:
        warnings.warn("two", RuntimeWarning, stacklevel=1)
    with pytest.raises(AssertionError, match=r"\[\]"), some:
        warnings.warn("one", UserWarning, stacklevel=1)
    with pytest.raises(OSError), some:
        raise OSError


@pytest.mark.parametrize(("actual", "near"), [(104, True), (106, False), (94, False)])
def test_numbers_are_near(other, actual, near):
    assert (actual == other.approx(100, rel=0.05)) is near
    assert (other.approx(100.001) == 100) is False
    assert (actual == other.approx(100, abs=5)) is near
    assert (-actual == other.approx(-100, rel=0.01, abs=5)) is near
    assert other.approx(0) == 1e-13
    assert (other.approx(100, rel=0) == 100.00001) is False
    assert (other.approx(0, rel=1, abs=0) == 1e-13) is False


def test_what_is_not_known_is_refused(other):
    with pytest.raises(AssertionError, match="filters warnings itself"):
        other.mark.filterwarnings("error")
    with pytest.raises(TypeError):
        other.fixture(params=[1])
    with pytest.raises(AssertionError, match="no scope session"):
        other.fixture(scope="session")
    with pytest.raises(TypeError):
        other.mark.parametrize("made", [1], indirect=True)
    with pytest.raises(TypeError):
        other.raises(ValueError, int)
