"""Nodes out of pickles: each is the file of its snapshot, and its number there."""

from __future__ import annotations

from weakref import WeakValueDictionary

from leakgraph._core import Node, Snapshot, load

__all__ = ["node", "reduced"]

#: Those that nodes were read from, while any of these lives.
_loaded: WeakValueDictionary[tuple[str, int, int], Snapshot] = WeakValueDictionary()


def reduced(place: tuple[str, int]) -> tuple[object, tuple[str, int]]:
    """What pickle keeps of a node: how to find it again."""
    return node, place


def node(path: str, index: int) -> Node:
    """The node of that number in the snapshot that lies there."""
    import os

    status = os.stat(path)
    key = (path, status.st_ino, status.st_mtime_ns)
    snapshot = _loaded.get(key)
    if snapshot is None or snapshot.closed:
        snapshot = _loaded[key] = load(path)
    return snapshot.node(index)
