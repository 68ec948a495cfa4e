"""Nodes out of pickles.

Each is the file of its snapshot and its number there or, of an answer that kept no
snapshot, what that keeps of its nodes.
"""

from __future__ import annotations

from weakref import WeakValueDictionary

from leakgraph._core import Node, Snapshot, _recalled, load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["kept_node", "node", "reduced"]

#: Those that nodes were read from, while any of these lives.
_loaded: WeakValueDictionary[tuple[str, int, int], Snapshot] = WeakValueDictionary()

#: By id() of the records, which each holds.
_kept: WeakValueDictionary[int, Snapshot] = WeakValueDictionary()


def reduced(place: tuple[Any, int]) -> tuple[object, tuple[Any, int]]:
    """What pickle keeps of a node: how to find it again."""
    return (kept_node if isinstance(place[0], dict) else node), place


def node(path: str, index: int) -> Node:
    """The node of that number in the snapshot that lies there."""
    import os

    status = os.stat(path)
    key = (path, status.st_ino, status.st_mtime_ns)
    snapshot = _loaded.get(key)
    if snapshot is None or snapshot.closed:
        snapshot = _loaded[key] = load(path)
    return snapshot.node(index)


def kept_node(records: dict[int, bytes], index: int) -> Node:
    """The node of that number among those that an answer kept."""
    snapshot = _kept.get(id(records))
    if snapshot is None:
        snapshot = _kept[id(records)] = _recalled(records)
    return snapshot.node(index)
