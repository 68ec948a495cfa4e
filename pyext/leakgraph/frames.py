"""Converts answers to dicts and a pandas.DataFrame, and a row to JSON.

The results themselves call this.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any, NamedTuple

from leakgraph._core import (
    Edge,
    Edges,
    Hop,
    Node,
    Nodes,
    Path,
    Result,
    Root,
    Roots,
    Size,
    Why,
    _json,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Union

    from leakgraph.rows import Rows

    _Rows = Union[Result[Any], Rows[Any], Roots, Nodes, Edges, Path, Why]

__all__ = [
    "Reference",
    "references",
    "row_dict",
    "row_json",
    "to_dicts",
    "to_json",
    "to_pandas",
]


class Reference(NamedTuple):
    """A reference of the paths of a Why, and what cutting it does."""

    #: 0 for `Why.path`, and from 1 on for `Why.paths`
    path: int
    label: str
    source: Node
    target: Node
    #: of the target, as all that follows
    type: str
    size: int
    retained: Size
    #: what cutting it does; '' for references that need not be cut
    reason: str

    @property
    def json(self) -> str:
        """The same as to_dict(), as JSON."""
        return row_json(self)

    def to_dict(self) -> dict[str, Any]:
        """A dict of plain values: a Node is its index, a Size a dict."""
        return row_dict(self)


def to_dicts(result: _Rows) -> list[dict[str, Any]]:
    """A dict for each row: a Node is its index, a Size and a named tuple a dict.

    A Why is the text of its path.
    """
    fields, rows = _fields_and_rows(result)
    return [dict(zip(fields, map(_plain, row))) for row in rows]


def row_dict(row: Node | Edge | tuple[Any, ...]) -> dict[str, Any]:
    """Return the dict that to_dicts() has for the row."""
    if isinstance(row, Node):
        return dict(zip(_NODE, _of_node(row)))
    if isinstance(row, Edge):
        return dict(zip(_EDGE, map(_plain, _of_edge(row))))
    plain: dict[str, Any] = _plain(row)
    return plain


def row_json(row: Node | Edge | tuple[Any, ...]) -> str:
    """Return the row as JSON."""
    return _json(row_dict(row))


def to_pandas(result: _Rows) -> Any:
    """A column for each field, and one more for each device of a Size.

    Whole numbers with gaps, such as nodes and None, have the type Int64 of pandas.
    """
    fields, rows = _fields_and_rows(result)
    return _frame(fields, list(rows))


def references(why: Why) -> Iterator[Reference]:
    """Yield the references of `path`, then of `paths`, each of which has one cut."""
    paths: list[tuple[Iterable[Hop], tuple[Hop, ...]]] = [(why.path or (), why.frees)]
    paths += [(path, (cut,)) for path, cut in zip(why.paths, why.cuts)]
    for number, (hops, cuts) in enumerate(paths):
        reasons = {cut[:3]: cut.reason for cut in cuts}
        for hop in hops:
            held = hop.target
            reason = reasons.get(hop[:3], "")
            yield Reference(
                number, *hop[:3], held.type_name, held.size, held.retained, reason
            )


#: The rows of what is no Result.
_ROWS: dict[type, Any] = {Roots: Root, Path: Hop, Why: Reference}

#: The columns of nodes and edges, as in their tables for Arrow.
_NODE = "node", "address", "size", "refcount", "found", "type", "text", "device"
_EDGE = "source", "target", "kind", "label", "weak"

_of_node = attrgetter(
    "index", *("type_name" if name == "type" else name for name in _NODE[1:])
)
_of_edge = attrgetter(*_EDGE)


def _fields_and_rows(result: _Rows) -> tuple[Sequence[str], Iterable[tuple[Any, ...]]]:
    """Return the names of the columns, and the values of each row."""
    if isinstance(result, Nodes):
        return _NODE, map(_of_node, result)
    if isinstance(result, Edges):
        return _EDGE, map(_of_edge, result)
    row = _ROWS.get(type(result)) or result._row  # type: ignore[union-attr]
    return row._fields, result


def _frame(fields: Iterable[str], rows: Sequence[tuple[Any, ...]]) -> Any:
    from importlib import import_module

    pandas = import_module("pandas")
    columns: dict[str, list[Any]] = {}
    for at, name in enumerate(fields):
        values = [row[at] for row in rows]
        columns[name] = [_cell(value) for value in values]
        sizes = [value for value in values if isinstance(value, Size)]
        devices = list(dict.fromkeys(device for size in sizes for device in size))
        for device in devices if len(devices) > 1 else ():
            columns[f"{name}.{device}"] = [
                value.get(device, 0) if isinstance(value, Size) else None
                for value in values
            ]
    # Without rows, pandas would take all columns for numbers.
    kind = None if len(rows) else "object"
    whole = {
        name: pandas.array(values, dtype="Int64") if _has_gaps(values) else values
        for name, values in columns.items()
    }
    return pandas.DataFrame(whole, dtype=kind)


def _has_gaps(values: list[Any]) -> bool:
    """Say whether they are whole numbers and Nones, which pandas makes floats of."""
    kinds = {type(value) for value in values}
    return kinds == {int, type(None)} and all(
        value is None or -(1 << 63) <= value < 1 << 63 for value in values
    )


def to_json(result: _Rows) -> str:
    """Return the rows as JSON."""
    return _json({"rows": to_dicts(result)})


def _plain(value: object) -> Any:
    if isinstance(value, Node):
        return value.index
    if isinstance(value, Size):
        return dict(value)
    if isinstance(value, Why):
        return str(value.path or "")
    if not isinstance(value, tuple):
        return value
    plain = map(_plain, value)
    fields = getattr(value, "_fields", None)
    return dict(zip(fields, plain)) if fields else tuple(plain)


def _cell(value: object) -> object:
    return value.total if isinstance(value, Size) else _plain(value)
