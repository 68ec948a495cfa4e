"""What pytest itself keeps for a test: logs, warnings, patches, properties, reports.

A test that runs again must find of these what its first run found, and none of them
counts as left behind. Uses attributes that pytest 7 to 9 have, and does without those
that another version lacks.
"""

from __future__ import annotations

import io
import logging
import re
import warnings
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from typing import Any

    import pytest

    from leakgraph._core import Cycle, GrowthRow

__all__ = ["Harness", "made_cycle", "made_growth"]

#: The modules of pytest, of what it is made of, and of its plugins.
MODULES = ("_pytest.", "pluggy.", "pytest_", "xdist.", "execnet.")
#: Where classes come from that hold what others put into them, besides built-in ones.
CONTAINERS = ("collections.", "_io.", "functools.")
#: By these references pytest holds what belongs to the test.
TESTS_OWN = (".cached_result", ".funcargs", ".obj", "._obj", "._instance", ".callspec")
#: The lists of a test item to which a test adds.
LISTS = ("user_properties", "_report_sections", "own_markers")
#: The fixtures whose readouterr() gives, and forgets, what the test has printed.
PRINTED = ("capsys", "capsysbinary", "capteesys", "capfd", "capfdbinary")
#: The lists of a MonkeyPatch from which undo() works.
PATCHES = ("_setattr", "_setitem")


class Harness:
    """What pytest has for an item at the time when this is made."""

    def __init__(self, item: pytest.Item) -> None:
        self._item = item
        self._fixtures: dict[str, Any] = getattr(item, "funcargs", {})
        self._lists = {name: len(getattr(item, name, ())) for name in LISTS}
        self._patches = [len(patches) for patches in self._patched()]

    @contextmanager
    def repeating(self, work: Callable[[], object]) -> Iterator[Callable[[], object]]:
        """A function that runs work() as if it were its first run.

        Afterwards pytest has what it had before, for its report.
        """
        item = self._item
        lists = {name: list(getattr(item, name, ())) for name in LISTS}
        logs = [(log, list(log.records), log.stream) for log in _logs()]

        def again() -> None:
            self._forget()
            with self._warnings():
                work()
            self._forget()

        try:
            yield again
        finally:
            for name, members in lists.items():
                if hasattr(item, name):
                    getattr(item, name)[:] = members
            for log, records, stream in logs:
                log.records[:], log.stream = records, stream

    def _forget(self) -> None:
        """Let pytest forget what the last run of the test has left with it."""
        for name, count in self._lists.items():
            del getattr(self._item, name, [])[count:]
        for log in _logs():
            log.records.clear()
            log.stream = io.StringIO()
        for name in PRINTED:
            if name in self._fixtures:
                self._fixtures[name].readouterr()
        if "recwarn" in self._fixtures:
            self._fixtures["recwarn"].clear()
        self._undo()

    def _warnings(self) -> AbstractContextManager[object]:
        """Forgets warnings, and which were issued before, with the same filters."""
        return warnings.catch_warnings(record="recwarn" not in self._fixtures)

    def _patched(self) -> list[list[object]]:
        """The lists of what the fixture monkeypatch has patched."""
        patch = self._fixtures.get("monkeypatch")
        return [getattr(patch, name) for name in PATCHES if hasattr(patch, name)]

    def _undo(self) -> None:
        """Undo what the test, but no fixture, has patched."""
        lists = self._patched()
        kept = [patches[:count] for patches, count in zip(lists, self._patches)]
        if not any(len(now) > len(old) for now, old in zip(lists, kept)):
            return
        undone = type(self._fixtures["monkeypatch"])()
        for name, patches, old in zip(PATCHES, lists, kept):
            getattr(undone, name)[:] = patches[len(old) :]
            patches[:] = old
        undone.undo()


def _logs() -> list[Any]:
    """List the handlers of pytest that keep records; they are the root logger's."""
    return [
        handler
        for handler in logging.getLogger().handlers
        if _is_harness(type(handler).__module__ + ".") and hasattr(handler, "records")
    ]


def made_growth(row: GrowthRow) -> bool:
    """Whether something of pytest holds what grows, and nothing of the test does."""
    way = row.held_by
    is_tests = any(re.search(rf"{re.escape(own)}\b", way) for own in TESTS_OWN)
    if (way.startswith(MODULES) and not is_tests) or _is_harness(row.type):
        return True
    if row.node is None:
        return False
    path = row.node.snapshot.why(row.node).path
    for hop in reversed(list(path or ())):
        holder = hop.source.type_name
        if hop.label.startswith(TESTS_OWN):
            return False
        if "." in holder and not holder.startswith(CONTAINERS):
            return _is_harness(holder)
    return False


def made_cycle(cycle: Cycle) -> bool:
    """Whether an object of pytest is part of it, such as what pytest.raises() gives."""
    return any(_is_harness(row.type) for row in cycle.types)


def _is_harness(name: str) -> bool:
    return name.startswith(MODULES)
