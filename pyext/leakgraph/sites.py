"""Finds the lines that allocate what grows, with tracemalloc."""

from __future__ import annotations

import gc
import sys
from collections import Counter
from typing import NamedTuple

from leakgraph._core import _is_installed, _object_traceback

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from tracemalloc import Frame, Traceback

    from leakgraph._core import GrowthRow, Node

#: For each place, addresses and types of holders, the nearest first.
Holders = dict[str, list[tuple[int, str]]]

__all__ = ["FRAMES", "Site", "Traces", "Tracing", "allocation_lines", "holders"]

#: How many frames lead from a library that allocates to the program that calls it.
FRAMES = 16
#: Files without a path in which people write programs. Libraries make the others, such
#: as the methods of a dataclass.
TYPED = ("<stdin>", "<ipython-input-")
#: How many holders above a member to try.
ABOVE = 3


class Site(NamedTuple):
    """Where an object was allocated."""

    #: The program's last line on the way there; None: no traced frame is the program's.
    program: str | None
    #: The line that allocated, which may be a library's.
    last: str

    def __str__(self) -> str:
        if self.program in (None, self.last):
            return self.last
        return f"{self.program}, through {self.last}"


def holders(rows: Iterable[GrowthRow]) -> Holders:
    """What dominates the newest member of each row that has a node."""
    return {
        row.place: [(node.address, node.type_name) for node in _above(row.node)]
        for row in rows
        if row.node is not None
    }


def allocation_lines(
    rows: Iterable[GrowthRow], above: Holders | None = None
) -> dict[str, Site]:
    """For each place: the line that allocated most of its members that were traced.

    tracemalloc must trace, and the newest snapshot of the comparison must be of this
    process and a moment ago: objects are found by their addresses and types. `above`
    has the holders of rows that have no nodes.
    """
    tracemalloc = sys.modules.get("tracemalloc")
    if tracemalloc is None or not tracemalloc.is_tracing():
        return {}
    rows = list(rows)
    above = holders(rows) if above is None else above
    wanted = {
        address: kind for row in rows for address, kind in above.get(row.place, ())
    }
    found = {
        id(obj): obj
        for obj in gc.get_objects()
        if id(obj) in wanted and wanted[id(obj)] == _type_name(obj)
    }
    lines = {}
    for row in rows:
        sites: Counter[Site] = Counter()
        for address, _ in above.get(row.place, ()):
            for member in gc.get_referents(found.get(address)):
                if _type_name(member) == row.type:
                    sites.update(_line(member))
            if sites:
                lines[row.place] = sites.most_common(1)[0][0]
                break
    return lines


def _line(obj: object) -> list[Site]:
    """Return what allocated the object, or else something that it holds."""
    for allocated in (obj, *gc.get_referents(obj)):
        trace = _object_traceback(allocated)
        if trace:
            return [_site(trace)]
    return []


def _site(trace: Traceback) -> Site:
    """Find the program's last line in the trace, whose last line is the newest."""
    lines = (str(frame) for frame in reversed(trace) if _is_program(frame))
    return Site(next(lines, None), str(trace[-1]))


def _is_program(frame: Frame) -> bool:
    """Return whether the line is of a file that is not installed."""
    name = frame.filename
    if name.startswith("<"):
        return name.startswith(TYPED)
    return not _is_installed(name)


def _above(node: Node) -> list[Node]:
    """Return the nodes that dominate it, the nearest first."""
    nodes: list[Node] = []
    dominator = node.dominator
    while dominator is not None and len(nodes) < ABOVE:
        nodes.append(dominator)
        dominator = dominator.dominator
    return nodes


def _type_name(obj: object) -> str:
    """Return the type's name as leakgraph writes it: builtins without their module."""
    kind = type(obj)
    name = kind.__qualname__
    return name if kind.__module__ == "builtins" else f"{kind.__module__}.{name}"


class Tracing:
    """Runs tracemalloc for a while; if the program runs it already, it goes on."""

    def __init__(self, frames: int) -> None:
        import tracemalloc

        self._is_ours = not tracemalloc.is_tracing()
        if self._is_ours:
            tracemalloc.start(frames)

    def stop(
        self, rows: Iterable[GrowthRow] = (), above: Holders | None = None
    ) -> dict[str, Site]:
        """End it; returns the allocating line of each place, where one is known."""
        import tracemalloc

        try:
            return allocation_lines(rows, above)
        finally:
            if self._is_ours:
                tracemalloc.stop()


class Traces:
    """Windows in which tracemalloc runs, for who watches a program."""

    def __init__(self, wanted: bool) -> None:
        self._wanted = wanted
        self._frames = 1
        self._running: Tracing | None = None

    @property
    def is_running(self) -> bool:
        """Whether a window is open."""
        return self._running is not None

    def begin(self) -> bool:
        """Open a window if one is wanted and none is open; return whether it did."""
        if not self._wanted or self.is_running:
            return False
        self._running = Tracing(self._frames)
        return True

    def end(
        self, rows: Iterable[GrowthRow] = (), above: Holders | None = None
    ) -> dict[str, Site]:
        """Close the window; returns the allocating line of each place."""
        running, self._running = self._running, None
        return {} if running is None else running.stop(rows, above)

    def deepen(self, lines: dict[str, Site]) -> bool:
        """If a library's line is all that is known of a place, trace more frames.

        Returns whether a window was opened. More frames cost more, so the first window
        has one.
        """
        if self._frames == FRAMES or all(site.program for site in lines.values()):
            return False
        self._frames = FRAMES
        return self.begin()
