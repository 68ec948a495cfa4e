"""Referrers and chains of references for leakgraph.objgraph."""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable, Iterable
from types import FrameType

from leakgraph import Snapshot, snapshot

Neighbours = Callable[[object], Iterable[object]]
Predicate = Callable[[object], object]


# So many searches of the heap take less time than a snapshot and its index.
_FEW = 8
# The collector lists so many referrers of one object sooner than Python code does.
_MANY = 10000


def _is_own_frame(obj: object) -> bool:
    return type(obj) is FrameType and str(obj.f_globals.get("__name__")).startswith(
        "leakgraph.objgraph"
    )


class Referrers:
    """What gc.get_referrers() finds, from one snapshot when many objects ask.

    Objects that are newer than it have the referrers that the collector knows.
    """

    def __init__(self) -> None:
        self._asked = 0
        self._snapshot: Snapshot | None = None
        self._live: dict[int, object] = {}
        self._own = {id(self), id(self.__dict__), id(self._live)}

    def _search(self, obj: object) -> list[object]:
        own = self._own
        return [
            one
            for one in gc.get_referrers(obj)
            if id(one) not in own and not _is_own_frame(one)
        ]

    def _open(self) -> Snapshot:
        if self._snapshot is None:
            self._snapshot = snapshot()
            found = gc.get_objects()
            self._live.update(zip(map(id, found), found))
        return self._snapshot

    def of(self, obj: object) -> list[object]:
        """The tracked objects that refer to the object, each once.

        A method and no __call__, which would get the object in a tuple: a referrer.
        """
        self._asked += 1
        node = self._open().find(obj) if self._asked > _FEW else None
        edges = node.referrers() if node is not None else None
        if edges is None or len(edges) > _MANY:
            return self._search(obj)
        live = self._live
        addresses = dict.fromkeys(
            edge.source.address for edge in edges if edge.traversed
        )
        found = (live.get(address) for address in addresses)
        return [one for one in found if one is not None and not _is_own_frame(one)]

    def close(self) -> None:
        """Frees the snapshot."""
        self._live.clear()
        if self._snapshot is not None:
            self._snapshot.close()


def find_chain(
    obj: object,
    predicate: Predicate,
    edge_func: Neighbours,
    max_depth: int = 20,
    extra_ignore: Iterable[int] = (),
) -> list[object]:
    """A shortest chain to an object that the predicate accepts; [obj]: there is none.

    It begins with that object and ends with `obj`.
    """
    queue = deque([obj])
    nearer: dict[int, object] = {id(obj): None}
    depth = {id(obj): 0}
    ignored = set(extra_ignore)
    ignored.update((id(queue), id(nearer)))
    while queue:
        reached = queue.popleft()
        if predicate(reached):
            chain = [reached]
            while chain[-1] is not obj:
                chain.append(nearer[id(chain[-1])])
            return chain
        if depth[id(reached)] >= max_depth:
            continue
        for one in edge_func(reached):
            if id(one) not in ignored and id(one) not in nearer:
                nearer[id(one)] = reached
                depth[id(one)] = depth[id(reached)] + 1
                queue.append(one)
    return [obj]
