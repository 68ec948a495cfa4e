"""What pytest keeps for a test does not count; what the test leaves behind does."""

import pytest
from test_pytest_plugin import run

pytestmark = pytest.mark.ends

#: Each leaves something with pytest alone, or finds in a second run what a first run
#: has left there.
HONEST = """
import logging, os, random, sys, typing, unittest, warnings
import pytest

pytestmark = pytest.mark.leakgraph
log = logging.getLogger("service")

def test_log_records():
    log.warning("slow query %s", [3])

def test_exceptions_in_the_log():
    try:
        1 / 0
    except ZeroDivisionError:
        log.exception("bad")

def test_caplog(caplog):
    caplog.set_level(logging.DEBUG)
    log.debug("x")
    assert len(caplog.records) == len(caplog.get_records("call")) == 1

def test_warnings():
    for number in range(5):
        warnings.warn(f"{number} of {random.random()}")

def test_recwarn(recwarn):
    warnings.warn("once")
    assert len(recwarn) == 1

def test_pytest_warns():
    with pytest.warns(UserWarning):
        warnings.warn("x")

@pytest.fixture
def patched(monkeypatch):
    monkeypatch.setenv("BY_FIXTURE", "1")

def test_monkeypatch(patched, monkeypatch):
    assert os.environ["BY_FIXTURE"] == "1"
    monkeypatch.delenv("PATH")
    monkeypatch.setattr(os, "getcwd", lambda: "x")

def test_properties(record_property, request):
    record_property("a", 1)
    request.node.add_report_section("call", "x", "y")
    request.node.add_marker(pytest.mark.xfail(False, reason="never"))
    request.addfinalizer(lambda: None)

def test_output(capsys):
    print("hello")

def test_captured_output(capsys):
    print("hello")
    assert capsys.readouterr().out == "hello\\n"

def test_temporary_folder(tmp_path):
    (tmp_path / str(random.random())).write_text("x")

def test_pytest_raises():
    with pytest.raises(ValueError) as info:
        int("x")
    assert "x" in str(info.value)

@pytest.mark.parametrize("case", [1, 2])
def test_cases(case):
    assert case

def test_a_class():
    class A:
        pass
    assert A()

def test_a_dataclass():
    import dataclasses
    @dataclasses.dataclass
    class A:
        x: int = 1
    assert A().x == 1

def test_a_class_in_a_cache_of_typing():
    class A(typing.Generic[typing.TypeVar("T")]):
        pass
    assert A[int] and typing.List[A]

class TestCase(unittest.TestCase):
    def test_logs(self):
        with self.assertLogs("service"):
            log.warning("x")
"""

#: Each leaves one thing behind, with something of pytest on the way to it.
LEAKING = """
import logging
import pytest

pytestmark = pytest.mark.leakgraph(rounds=2)

class Thing:
    pass

@pytest.fixture(scope="module")
def application():
    return []

def test_a_fixture_keeps_it(application):
    application.append(Thing())

records = []

class Handler(logging.Handler):
    def emit(self, record):
        records.append(record)

def test_a_handler_keeps_it():
    log = logging.getLogger("other")
    if not log.handlers:
        log.addHandler(Handler())
    log.warning("x")

def test_a_cycle():
    thing = Thing()
    thing.itself = thing

classes = []

def test_a_class_stays():
    class A:
        pass
    classes.append(A)
"""


def test_what_pytest_keeps_is_no_leak(tmp_path):
    (tmp_path / "test_x.py").write_text(HONEST)
    done = run(tmp_path, "--junitxml=result.xml")
    assert "18 passed" in done.out, done.out
    # The report has what the first run did, once.
    assert (tmp_path / "result.xml").read_text().count('name="a" value="1"') == 1


def test_what_a_test_keeps_is_a_leak(tmp_path):
    (tmp_path / "test_x.py").write_text(LEAKING)
    done = run(tmp_path)
    assert "4 failed" in done.out and "passed" not in done.out, done.out
    assert "Thing accumulates" in done.out and "LogRecord accumulates" in done.out
    assert "1 reference cycle to" in done.out and ".A accumulates" in done.out
