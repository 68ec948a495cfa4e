"""Converts results to dicts, to a pandas.DataFrame, and slices of them to text.

The results themselves call this, from C.
"""

from __future__ import annotations

import json
from html import escape
from typing import Any

from leakgraph._core import Node, Result, Size

__all__ = ["lines", "to_dicts", "to_html", "to_json", "to_pandas"]


def to_dicts(result: Result[Any]) -> list[dict[str, Any]]:
    """A dict for each row: a Node is its index, a Size and a named tuple a dict."""
    return [
        {name: _plain(value) for name, value in zip(row._fields, row)} for row in result
    ]


def to_pandas(result: Result[Any]) -> Any:
    """A column for each field, and one more for each device of a Size."""
    from importlib import import_module

    columns: dict[str, list[Any]] = {}
    for at, name in enumerate(result._row._fields):
        values = [row[at] for row in result]
        columns[name] = [_cell(value) for value in values]
        sizes = [value for value in values if isinstance(value, Size)]
        devices = list(dict.fromkeys(device for size in sizes for device in size))
        for device in devices if len(devices) > 1 else ():
            columns[f"{name}.{device}"] = [
                value.get(device, 0) if isinstance(value, Size) else None
                for value in values
            ]
    return import_module("pandas").DataFrame(columns)


def to_json(result: Result[Any]) -> str:
    """The rows as JSON."""
    return json.dumps({"rows": to_dicts(result)}, ensure_ascii=False) + "\n"


def to_html(result: Result[Any]) -> str:
    """The report as it is."""
    return f"<pre>{escape(str(result))}</pre>"


def lines(result: Result[Any]) -> str:
    """A line for each row."""
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
