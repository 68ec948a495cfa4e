"""Restores nodes, edges and paths from pickles.

A pickle contains the numbers of nodes and edges, and the file of the snapshot or, if an
answer keeps no snapshot, the answer's record of its nodes.
"""

from __future__ import annotations

from weakref import WeakValueDictionary

from leakgraph._core import (
    Edge,
    Hop,
    Node,
    Path,
    Root,
    Snapshot,
    _edge,
    _path,
    _recalled,
    load,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "edge",
    "kept_node",
    "node",
    "path",
    "reduced",
    "reduced_edge",
    "reduced_path",
]

#: Snapshots from which nodes were read, while any of these nodes lives.
_loaded: WeakValueDictionary[tuple[str, int, int], Snapshot] = WeakValueDictionary()

#: Snapshots of answers by the id() of their records, which each snapshot holds.
_kept: WeakValueDictionary[int, Snapshot] = WeakValueDictionary()


def reduced(place: tuple[Any, int]) -> tuple[object, tuple[Any, int]]:
    """Return what pickle needs to find a node again."""
    return (kept_node if isinstance(place[0], dict) else node), place


def reduced_edge(place: tuple[str, int, bool]) -> tuple[object, tuple[Any, ...]]:
    """Return what pickle needs to find an edge again. No answer keeps edges."""
    return edge, place


def reduced_path(
    parts: tuple[Root | None, tuple[Hop, ...], str, str],
) -> tuple[object, tuple[Any, ...]]:
    """Return what pickle needs to make a path again."""
    return path, parts


def node(path: str, index: int) -> Node:
    """The node with that number in the snapshot file."""
    return _snapshot(path).node(index)


def edge(path: str, index: int, backward: bool) -> Edge:
    """The edge with that number in the snapshot file."""
    return _edge(_snapshot(path), index, backward)


def path(root: Root | None, hops: tuple[Hop, ...], start: str, text: str) -> Path:
    """The path of these hops; `start` and `text` are what str() shows."""
    return _path(root, hops, start, text)


def _snapshot(path: str) -> Snapshot:
    import os

    status = os.stat(path)
    key = (path, status.st_ino, status.st_mtime_ns)
    snapshot = _loaded.get(key)
    if snapshot is None or snapshot.closed:
        snapshot = _loaded[key] = load(path)
    return snapshot


def kept_node(records: dict[int, bytes], index: int) -> Node:
    """The node with that number in an answer's records."""
    snapshot = _kept.get(id(records))
    if snapshot is None:
        snapshot = _kept[id(records)] = _recalled(records)
    return snapshot.node(index)
