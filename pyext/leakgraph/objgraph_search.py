"""Referrers and chains of references for leakgraph.objgraph."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable
from types import FrameType

from leakgraph import _core

Neighbours = Callable[[object], Iterable[object]]
Predicate = Callable[[object], object]
# Called with all objects whose referrers are needed next.
Prepare = Callable[[list[object]], None]


def _is_own_frame(obj: object) -> bool:
    return type(obj) is FrameType and str(obj.f_globals.get("__name__")).startswith(
        "leakgraph.objgraph"
    )


class Referrers:
    """What gc.get_referrers() finds, in one pass over the heap for many objects.

    Leaves out objects that are newer than this one: the search makes some itself, and
    they refer to what it visits.
    """

    def __init__(self) -> None:
        self._found: dict[int, list[object]] = {}
        self._objects = gc.get_objects()

    def prepare(self, objs: list[object]) -> None:
        """Find the referrers of all these objects at once, for of()."""
        targets = list({id(one): one for one in objs}.values())
        found = _core._referrers(self._objects, targets)
        self._found = dict(zip(map(id, targets), found))

    def of(self, obj: object) -> list[object]:
        """The tracked objects that refer to the object, each once.

        A __call__ would get the object in a tuple, which would be a referrer.
        """
        if id(obj) not in self._found:
            self.prepare([obj])
        return [one for one in self._found[id(obj)] if not _is_own_frame(one)]


def find_chain(
    obj: object,
    predicate: Predicate,
    edge_func: Neighbours,
    max_depth: int = 20,
    extra_ignore: Iterable[int] = (),
    prepare: Prepare | None = None,
) -> list[object]:
    """A shortest chain to an object that the predicate accepts; [obj]: there is none.

    It begins with that object and ends with `obj`.
    """
    level = [obj]
    nearer: dict[int, object] = {id(obj): None}
    ignored = {*extra_ignore, id(nearer)}
    for depth in range(max_depth + 1):
        for reached in level:
            if predicate(reached):
                return _chain(reached, obj, nearer)
        if depth == max_depth or not level:
            break
        if prepare is not None:
            prepare(level)
        level = _next_level(level, nearer, edge_func, ignored | {id(level)})
    return [obj]


def _next_level(
    level: list[object],
    nearer: dict[int, object],
    edge_func: Neighbours,
    ignored: set[int],
) -> list[object]:
    found: list[object] = []
    for reached in level:
        for one in edge_func(reached):
            if id(one) not in nearer and id(one) not in ignored and one is not found:
                nearer[id(one)] = reached
                found.append(one)
    return found


def _chain(start: object, end: object, nearer: dict[int, object]) -> list[object]:
    chain = [start]
    while chain[-1] is not end:
        chain.append(nearer[id(chain[-1])])
    return chain
