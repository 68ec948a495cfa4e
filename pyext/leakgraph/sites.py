"""Finds the lines that allocate what grows, with tracemalloc."""

from __future__ import annotations

import gc
import sys
from collections import Counter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from tracemalloc import Traceback

    from leakgraph._core import GrowthRow, Node

#: For each place, addresses and types of holders, the nearest first.
Holders = dict[str, list[tuple[int, str]]]

__all__ = ["Tracing", "allocation_lines", "holders"]

#: How many frames tracemalloc keeps: one, because a row names one line.
FRAMES = 1
#: The flag of types whose instances have a `__dict__` before their head; only 3.11's
#: tracemalloc needs it.
MANAGED_DICT = 1 << 4 if sys.implementation.cache_tag == "cpython-311" else 0
#: Bytes of that, and of the collector's head.
BEFORE = 32
#: How many holders above a member to try.
ABOVE = 3


def holders(rows: Iterable[GrowthRow]) -> Holders:
    """What dominates the newest member of each row that has a node."""
    return {
        row.place: [(node.address, node.type_name) for node in _above(row.node)]
        for row in rows
        if row.node is not None
    }


def allocation_lines(
    rows: Iterable[GrowthRow], above: Holders | None = None
) -> dict[str, str]:
    """For each place: the line that allocated most of its members that were traced.

    tracemalloc must trace, and the newest snapshot of the comparison must be of this
    process and a moment ago: objects are found by their addresses and types. `above`
    has the holders of rows that have no nodes.
    """
    tracemalloc = sys.modules.get("tracemalloc")
    if tracemalloc is None or not tracemalloc.is_tracing():
        return {}
    trace_of = tracemalloc.get_object_traceback
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
        sites: Counter[str] = Counter()
        for address, _ in above.get(row.place, ()):
            for member in gc.get_referents(found.get(address)):
                if _type_name(member) == row.type_name:
                    sites.update(_line(member, trace_of))
            if sites:
                lines[row.place] = sites.most_common(1)[0][0]
                break
    return lines


def _line(obj: object, trace_of: Callable[[object], Traceback | None]) -> list[str]:
    """Return the line that allocated the object, or else something that it holds."""
    for allocated in (obj, *gc.get_referents(obj)):
        trace = trace_of(allocated) or _trace_before(allocated)
        if trace:
            return [str(trace[-1])]
    return []


def _trace_before(obj: object) -> Traceback | None:
    """Return the trace of an instance with a `__dict__` on CPython 3.11.

    There, tracemalloc forgets the two words before the head of such an instance, with
    which its block begins. Every tensor of PyTorch is one.
    """
    if not type(obj).__flags__ & MANAGED_DICT:
        return None
    from ctypes import PYFUNCTYPE, c_size_t, c_uint, py_object, pythonapi
    from tracemalloc import Traceback

    find = PYFUNCTYPE(py_object, c_uint, c_size_t)(
        ("_PyTraceMalloc_GetTraceback", pythonapi)
    )
    frames = find(0, id(obj) - BEFORE)
    return Traceback(frames) if frames else None


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

    def __init__(self) -> None:
        import tracemalloc

        self._is_ours = not tracemalloc.is_tracing()
        if self._is_ours:
            tracemalloc.start(FRAMES)

    def stop(
        self, rows: Iterable[GrowthRow] = (), above: Holders | None = None
    ) -> dict[str, str]:
        """End it; returns the allocating line of each place, where one is known."""
        import tracemalloc

        try:
            return allocation_lines(rows, above)
        finally:
            if self._is_ours:
                tracemalloc.stop()
