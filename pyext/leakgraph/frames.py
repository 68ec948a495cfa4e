"""Converts answers to dicts and a pandas.DataFrame, and slices of answers to text.

The results themselves call this, from C.
"""

from __future__ import annotations

import json
from html import escape
from typing import Any

from leakgraph._core import Node, Result, Root, Roots, Size, Why

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from leakgraph._core import Hop

__all__ = [
    "lines",
    "roots_pandas",
    "to_dicts",
    "to_html",
    "to_json",
    "to_pandas",
    "why_dicts",
    "why_pandas",
]


def to_dicts(result: Result[Any] | Roots) -> list[dict[str, Any]]:
    """A dict for each row: a Node is its index, a Size and a named tuple a dict."""
    return [
        {name: _plain(value) for name, value in zip(row._fields, row)} for row in result
    ]


def to_pandas(result: Result[Any]) -> Any:
    """A column for each field, and one more for each device of a Size.

    Whole numbers with gaps, such as nodes and None, have the type Int64 of pandas.
    """
    return _frame(result._row._fields, result)


def roots_pandas(roots: Roots) -> Any:
    """Make a column for each field."""
    return _frame(Root._fields, roots)


def why_dicts(why: Why) -> list[dict[str, Any]]:
    """A dict for each reference."""
    return [dict(zip(_REFERENCE, map(_plain, row))) for row in _references(why)]


def why_pandas(why: Why) -> Any:
    """A column for each key of the dicts, and one more for each device."""
    return _frame(_REFERENCE, list(_references(why)))


_REFERENCE = (
    "path",
    "label",
    "source",
    "target",
    "type",
    "size",
    "retained",
    "reason",
)


def _references(why: Why) -> Iterable[tuple[object, ...]]:
    """Yield the references of `path`, then of `paths`, each of which has one cut."""
    paths: list[tuple[Iterable[Hop], tuple[Hop, ...]]] = [(why.path or (), why.frees)]
    paths += [(path, (cut,)) for path, cut in zip(why.paths, why.cuts)]
    for number, (hops, cuts) in enumerate(paths):
        reasons = {cut[:3]: cut.reason for cut in cuts}
        for hop in hops:
            held = hop.target
            reason = reasons.get(hop[:3], "")
            yield number, *hop[:3], held.type_name, held.size, held.retained, reason


def _frame(fields: Iterable[str], rows: Sequence[tuple[Any, ...]] | Roots) -> Any:
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


def to_json(result: Result[Any] | Roots) -> str:
    """Return the rows as JSON."""
    return json.dumps({"rows": to_dicts(result)}, ensure_ascii=False) + "\n"


def to_html(result: Result[Any]) -> str:
    """Return the report in a tag for plain text."""
    return f"<pre>{escape(str(result))}</pre>"


def lines(result: Result[Any]) -> str:
    """Return a line for each row."""
    return "".join(f"{row!r}\n" for row in result)


def _plain(value: object) -> object:
    if isinstance(value, Node):
        return value.index
    if isinstance(value, Size):
        return dict(value)
    if not isinstance(value, tuple):
        return value
    plain = map(_plain, value)
    fields = getattr(value, "_fields", None)
    return dict(zip(fields, plain)) if fields else tuple(plain)


def _cell(value: object) -> object:
    return value.total if isinstance(value, Size) else _plain(value)
