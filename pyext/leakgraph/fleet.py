"""Summaries of any number of snapshots, added up by whatever maps and folds.

    from functools import reduce
    from leakgraph import fleet

    total = reduce(fleet.merge, map(fleet.summarize, paths))

A summary is bytes: the contents of a file of `Snapshot.summary()`. The sum of
summaries is one, too, so they may be added up in any order and any grouping, on any
machine. Dask, Ray and Spark need nothing else; docs/fleet.md shows it with Dask.
"""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING, NamedTuple

from leakgraph._core import Size, Snapshot, _merge_summaries, _summary_places, load
from leakgraph.extras import need
from leakgraph.rows import Rows, row_dict, row_json

if TYPE_CHECKING:
    from typing import Any, Union

    _Source = Union[Snapshot, str, bytes, "os.PathLike[str]"]

__all__ = ["Place", "Places", "merge", "places", "summarize"]

#: How a summary begins.
_MAGIC = b"\x89LGP\r\n\x1a\n"


class Place(NamedTuple):
    """Where objects are, in all snapshots of a summary together."""

    #: '__main__.trainer.losses[*]'
    held_by: str
    #: of the objects
    type: str
    #: how many there are
    members: int
    #: their own bytes
    own: Size
    #: all that would go with them
    retained: Size
    #: the same in every process that runs the program: 16 hexadecimal digits
    key: str
    #: the key of the place above; '' at the top
    parent: str

    @property
    def json(self) -> str:
        """The same as to_dict(), as JSON."""
        return row_json(self)

    def to_dict(self) -> dict[str, Any]:
        """A dict of plain values: a Node is its index, a Size a dict."""
        return row_dict(self)


class Places(Rows[Place]):
    """The places of a summary, those that retain the most first."""

    __slots__ = ()
    _row = Place


def summarize(snapshot: _Source) -> bytes:
    """The summary of a Snapshot, of a saved one, or of the file of a summary.

    A URL such as 's3://bucket/run.lgs' is read with fsspec. Analyses the snapshot if
    its file has no analysis.

    Raises FileError of what is neither, and ModuleNotFoundError of a URL without
    fsspec.
    """
    if isinstance(snapshot, Snapshot):
        return _summary_of(snapshot)
    path = os.fspath(snapshot)
    if isinstance(path, str) and "://" in path:
        return _fetched(path)
    with open(path, "rb") as file:
        if file.read(len(_MAGIC)) == _MAGIC:
            return _MAGIC + file.read()
    with load(path) as loaded:
        return _summary_of(loaded)


def merge(first: bytes, *more: bytes) -> bytes:
    """The sum of summaries.

    Members and bytes of each place are sums, and so are types, accounts, findings,
    cycles, tensors, figures and threads. It leaves out no place.

    Raises FileError of bytes that are no summary.
    """
    return _merge_summaries(first, *more)


def places(summary: bytes) -> Places:
    """The places of a summary, those that retain the most first.

    `pandas.DataFrame(fleet.places(summary))` is a table of them. What is retained by a
    place is retained by those above it, too.

    Raises FileError of bytes that are no summary.
    """
    rows = _summary_places(summary)
    keys = [row[5] for row in rows]
    found = [Place(*row[:6], keys[row[6]] if row[6] >= 0 else "") for row in rows]
    return Places(sorted(found, key=lambda row: (-row.retained.total, row.key)))


def _summary_of(snapshot: Snapshot) -> bytes:
    with tempfile.TemporaryDirectory(prefix="leakgraph-") as folder:
        path = snapshot.summary(os.path.join(folder, "run.lgsum"), progress=False)
        with open(path, "rb") as file:
            return file.read()


def _fetched(url: str) -> bytes:
    fsspec = need("fsspec", "fsspec", f"Reading {url}")
    with fsspec.open(url, "rb") as file:
        data: bytes = file.read()
    if data.startswith(_MAGIC):
        return data
    with tempfile.TemporaryDirectory(prefix="leakgraph-") as folder:
        path = os.path.join(folder, "run.lgs")
        with open(path, "wb") as copy:
            copy.write(data)
        return summarize(path)
