"""Restores nodes from pickles.

A pickle contains the node's number and the file of the snapshot or, if an answer keeps
no snapshot, the answer's record of its nodes.
"""

from __future__ import annotations

from weakref import WeakValueDictionary

from leakgraph._core import Node, Snapshot, _recalled, load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["kept_node", "node", "reduced"]

#: Snapshots from which nodes were read, while any of these nodes lives.
_loaded: WeakValueDictionary[tuple[str, int, int], Snapshot] = WeakValueDictionary()

#: Snapshots of answers by the id() of their records, which each snapshot holds.
_kept: WeakValueDictionary[int, Snapshot] = WeakValueDictionary()


def reduced(place: tuple[Any, int]) -> tuple[object, tuple[Any, int]]:
    """Return what pickle needs to find a node again."""
    return (kept_node if isinstance(place[0], dict) else node), place


def node(path: str, index: int) -> Node:
    """The node with that number in the snapshot file."""
    import os

    status = os.stat(path)
    key = (path, status.st_ino, status.st_mtime_ns)
    snapshot = _loaded.get(key)
    if snapshot is None or snapshot.closed:
        snapshot = _loaded[key] = load(path)
    return snapshot.node(index)


def kept_node(records: dict[int, bytes], index: int) -> Node:
    """The node with that number in an answer's records."""
    snapshot = _kept.get(id(records))
    if snapshot is None:
        snapshot = _kept[id(records)] = _recalled(records)
    return snapshot.node(index)
