"""Tests that fail when what they run leaves objects behind.

pytest loads this module in each run of an environment that has leakgraph. It does
nothing without the marker, the fixture or an option.
"""

from __future__ import annotations

import gc

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from leakgraph._core import GrowthRow
    from leakgraph.baseline import Baseline
    from leakgraph.harness import Harness
    from leakgraph.snapshot_files import SnapshotFiles

MARKER = (
    "leakgraph(rounds=4, warmup=2, max_growth='0 B', max_cycles=0): repeat the test,"
    " and fail it if objects or reference cycles stay behind"
)
#: Parts of holders' names, and types, that no report of --leakgraph names: pytest keeps
#: a report of each test, and first imports stay.
RUNNERS = (
    "_pytest.",
    "pluggy.",
    "xdist.",
    "execnet.",
    "leakgraph.",
    "thread MainThread",
    "posix.environ",  # PYTEST_CURRENT_TEST
)
IMPORTS = (
    ".__code__",
    "__subclasses__",
    "native code",
    "linecache.",
    "_compat_pickle.",
    "._abc_impl",
)
IMPORTED = ("module", "type", "abc.ABCMeta", "function", "code")
#: What a test may leave behind in the report of --leakgraph, in bytes.
LEAST = 1024

_baseline: pytest.StashKey[Baseline] = pytest.StashKey()
_suite: pytest.StashKey[Suite] = pytest.StashKey()
_harness: pytest.StashKey[Harness] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options."""
    group = parser.getgroup("leakgraph", "objects that tests leave behind")
    group.addoption(
        "--leakgraph",
        action="store_true",
        help="list the tests that leave objects behind, and what they leave",
    )
    group.addoption(
        "--leakgraph-baseline",
        metavar="FILE",
        help="ignore the known growth that FILE lists",
    )
    group.addoption(
        "--leakgraph-write-baseline",
        metavar="FILE",
        help="add all growth of this run to FILE, and fail no test for it",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker and read the baseline."""
    from leakgraph.baseline import Baseline

    config.addinivalue_line("markers", MARKER)
    written = config.getoption("--leakgraph-write-baseline")
    read = config.getoption("--leakgraph-baseline") or written
    try:
        baseline = Baseline(read, may_be_missing=read == written)
    except OSError as error:
        raise pytest.UsageError(str(error)) from error
    config.stash[_baseline] = baseline
    baseline.target = written
    if config.getoption("--leakgraph"):
        config.stash[_suite] = Suite()


@pytest.hookimpl(specname="pytest_runtest_call", tryfirst=True)
def pytest_runtest_call_first(item: pytest.Item) -> None:
    """Before a marked test runs, note what pytest has for it."""
    if item.get_closest_marker("leakgraph") is not None:
        from leakgraph.harness import Harness

        item.stash[_harness] = Harness(item)


@pytest.hookimpl(trylast=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """After a marked test has passed, run it again and again."""
    marker = item.get_closest_marker("leakgraph")
    if marker is None:
        return
    if marker.args:
        raise pytest.UsageError(f"{item.nodeid}: leakgraph() takes keywords only")
    _checker(item, item.stash[_harness])(item.runtest, **marker.kwargs)


@pytest.fixture
def leakgraph_check(request: pytest.FixtureRequest) -> Callable[..., None]:
    """A function that repeats a part of a test, with the keywords of the marker.

    leakgraph_check(work) calls work() again and again and fails the test if objects, or
    reference cycles, stay behind.
    """
    from leakgraph.harness import Harness

    def check(work: Callable[[], object], **limits: Any) -> None:
        _checker(request.node, Harness(request.node))(work, **limits)

    return check


def _checker(item: pytest.Item, harness: Harness) -> Callable[..., None]:
    """Return the function that checks work for that test."""

    def check(work: Callable[[], object], **limits: Any) -> None:
        from leakgraph.leftovers import leftovers

        known = leftovers.__kwdefaults__ or {}
        for name in limits:
            if name not in known:
                raise pytest.UsageError(
                    f"{item.nodeid}: leakgraph has no keyword {name!r}; it has "
                    f"{', '.join(known)}"
                )
        baseline = item.config.stash[_baseline]
        with harness.repeating(work) as again:
            text = leftovers(again, baseline, item.nodeid, **limits)
        if text:
            pytest.fail(text, pytrace=False)

    return check


class Suite:
    """Compares snapshots before and after each test, to find what it leaves behind."""

    def __init__(self) -> None:
        from leakgraph.snapshot_files import SnapshotFiles

        self._snapshots: SnapshotFiles = SnapshotFiles(2)
        self._is_ready = False
        self.left: list[tuple[str, str]] = []

    def before(self) -> None:
        """Take the first snapshot."""
        if not self._is_ready:
            self._take(0)
            self._is_ready = True

    def after(self, test: str) -> None:
        """Note what has grown since the previous test."""
        self._take(1)
        growth = self._snapshots.compare(2, min_bytes=LEAST)
        for row in growth:
            if row.degree == "steady" and not _is_usual(row):
                self.left.append((test, row.text))
        self._snapshots.move(1, 0)

    def _take(self, slot: int) -> None:
        gc.collect()
        self._snapshots.take(slot)


def _is_usual(row: GrowthRow) -> bool:
    """Whether every run leaves this behind."""
    if row.verdict == "native":
        # Allocators keep memory for the next test.
        return True
    described = f"{row.held_by} {row.type}"
    is_named = any(name in described for name in RUNNERS + IMPORTS)
    return is_named or row.type in IMPORTED


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """With --leakgraph: take a snapshot before the first test."""
    suite = item.config.stash.get(_suite, None)
    if suite is not None:
        suite.before()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """With --leakgraph: compare with the snapshot before."""
    suite = item.config.stash.get(_suite, None)
    if suite is not None:
        suite.after(item.nodeid)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the baseline, or hand what was found to the process that runs all tests."""
    config = session.config
    baseline, suite = config.stash.get(_baseline, None), config.stash.get(_suite, None)
    if baseline is None:
        return
    output = getattr(config, "workeroutput", None)
    if output is None:
        baseline.write()
    else:
        output["leakgraph_found"] = baseline.found
        output["leakgraph_left"] = suite.left if suite is not None else []


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Take over what a worker of xdist has found."""
    output = getattr(node, "workeroutput", {})
    node.config.stash[_baseline].found += output.get("leakgraph_found", [])
    suite = node.config.stash.get(_suite, None)
    if suite is not None:
        suite.left += [tuple(row) for row in output.get("leakgraph_left", [])]


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """With --leakgraph: name the tests that leave objects behind."""
    suite = config.stash.get(_suite, None)
    if suite is None:
        return
    terminalreporter.section("objects that tests leave behind")
    last = None
    for test, text in suite.left:
        if test != last:
            terminalreporter.line(test)
        terminalreporter.line(f"    {text}")
        last = test
    if not suite.left:
        terminalreporter.line("none")
