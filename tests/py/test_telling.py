"""A leak is told as a warning; where that is hidden, or a log is set up, in the log."""

import logging
import warnings

import pytest

from leakgraph import telling
from leakgraph.leak_text import LeakError, LeakWarning
from leakgraph.telling import tell

pytestmark = pytest.mark.ends

TEXT = "x: Item accumulates"


class Kept(logging.Handler):
    def __init__(self):
        super().__init__()
        self.said = []

    def emit(self, record):
        self.said.append((record.levelname, record.getMessage()))


@pytest.fixture
def log(monkeypatch):
    """Return a log without a handler, and what stderr would get."""
    assert telling._log() is logging.getLogger("leakgraph")
    log = logging.Logger("leakgraph")
    log.last = Kept()
    monkeypatch.setattr(telling, "_log", lambda: log)
    monkeypatch.setattr(logging, "lastResort", log.last)
    return log


def hide(**rule):
    warnings.filterwarnings("ignore", **rule)


def narrow(**rule):
    hide()
    warnings.filterwarnings("always", **rule)


@pytest.mark.parametrize(
    ("filters", "rule", "hidden"),
    [
        (hide, {}, True),
        (hide, {"category": UserWarning}, True),
        (hide, {"category": DeprecationWarning}, False),
        (hide, {"message": "x: Item"}, True),
        (hide, {"message": "y"}, False),
        (narrow, {"category": LeakWarning}, False),
        (narrow, {"message": "y"}, True),
    ],
)
def test_a_hidden_warning_is_logged(log, filters, rule, hidden):
    with warnings.catch_warnings(record=True) as shown:
        warnings.resetwarnings()
        filters(**rule)
        tell("warn", None, None, TEXT, 1)
    assert bool(shown) is not hidden
    assert log.last.said == [("WARNING", TEXT)] * hidden


def test_a_log_that_is_set_up_gets_each_leak(log):
    kept = Kept()
    log.addHandler(kept)
    with pytest.warns(LeakWarning, match=TEXT) as shown:
        tell("warn", None, None, TEXT, 1)
    assert shown[0].filename == __file__
    assert (kept.said, log.last.said) == ([("WARNING", TEXT)], [])


def test_raise_and_call(log):
    with pytest.raises(LeakError, match=TEXT):
        tell("raise", None, None, TEXT, 1)
    told = []
    tell(lambda *leak: told.append(leak), "row", "growth", TEXT, 1)
    assert told == [("row", "growth")]
    assert log.last.said == []
