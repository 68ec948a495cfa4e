"""What notebooks show of analyses: tables, with pictures inline.

The types themselves import this module at the first use.
"""

from __future__ import annotations

from html import escape

from leakgraph._core import (
    ClosedError,
    Cycle,
    Cycles,
    Drawing,
    MergedPaths,
    Result,
    Why,
)

__all__ = [
    "cycles_html",
    "merged_html",
    "undrawn_html",
    "why_html",
]

#: Cycles that are drawn below their table.
DRAWN = 3

_LEFT = ' style="text-align:left"'


def merged_html(merged: MergedPaths) -> str:
    """The tree as a table, and as a picture."""
    table = Result._repr_html_(merged)
    try:
        picture = _image(merged.drawing) if len(merged) else ""
    except ClosedError:
        picture = ""
    return f"{table}{picture}"


def cycles_html(cycles: Cycles) -> str:
    """A table of the cycles, and pictures of the first ones."""
    said = f"{cycles.total:,} cycle{'' if cycles.total == 1 else 's'}"
    kinds = [f"{count:,} {kind}" for kind, count in cycles.kinds.items() if count]
    said += f": {', '.join(kinds)}" if kinds else ""
    if cycles.total > len(cycles):
        said += f"; the biggest {len(cycles):,} shown"
    head = "<th></th><th>retains</th>" + "".join(
        map(_head, ("kind", "the shortest way round", "cut", "held by"))
    )
    body = [_cycle_row(number, cycle) for number, cycle in enumerate(cycles, 1)]
    pictures = [_picture(number, cycles[number - 1]) for number in _drawn(cycles)]
    table = _table(head, body) if body else ""
    return f"<p>{said}</p>{table}{''.join(pictures)}"


def why_html(why: Why) -> str:
    """The report, and the picture below it."""
    return f"{_preformatted(str(why))}{_image(why.drawing)}"


def undrawn_html(said: tuple[str, str]) -> str:
    """The tree of a picture that cannot be drawn, and the reason."""
    tree, sentence = said
    return f"{_preformatted(tree)}<p>{escape(sentence)}</p>"


def _image(drawing: Drawing) -> str:
    """The picture, or its replacement."""
    return drawing._repr_html_() or drawing._repr_svg_() or ""


def _cycle_row(number: int, cycle: Cycle) -> str:
    where = cycle.path if cycle.kind == "held" else cycle.reason
    cut = cycle.advice + (f"; and {cycle.alike:,} more like it" if cycle.alike else "")
    texts = (cycle.kind, str(cycle), cut, "" if where is None else str(where))
    return _cells(str(number), _size(cycle.retained_total)) + "".join(
        f"<td{_LEFT}>{escape(text)}</td>" for text in texts
    )


def _drawn(cycles: Cycles) -> range:
    return range(1, min(DRAWN, len(cycles)) + 1)


def _picture(number: int, cycle: Cycle) -> str:
    picture = _image(cycle.drawing)
    return f"<details open><summary>cycle {number}</summary>{picture}</details>"


def _preformatted(text: str) -> str:
    """Lines whose boxes join; themes of notebooks have pages in fonts of their own."""
    style = "font-family:monospace;line-height:1.2;white-space:pre"
    return f'<pre style="{style}">{escape(text)}</pre>'


def _head(name: str) -> str:
    return f"<th{_LEFT}>{name}</th>"


def _cells(*texts: str) -> str:
    style = ' style="white-space:nowrap"'
    return "".join(f"<td{style}>{escape(text)}</td>" for text in texts)


def _table(head: str, rows: list[str]) -> str:
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _size(count: int) -> str:
    """Bytes as the reports write them, digit by digit: 812 B, 12.0 MiB, 1.93 GiB."""
    if count < 1024:
        return f"{count} B"
    power = 1
    while (thousandths := count * 1000 >> 10 * power) >= 1_023_500 and power < 6:
        power += 1
    unit = ("KiB", "MiB", "GiB", "TiB", "PiB", "EiB")[power - 1]
    places = 2 if thousandths < 9_995 else 1 if thousandths < 99_950 else 0
    step = 10 ** (3 - places)
    digits = str((thousandths + step // 2) // step)
    whole = digits[: len(digits) - places]
    return f"{whole}.{digits[len(whole) :]} {unit}" if places else f"{whole} {unit}"
