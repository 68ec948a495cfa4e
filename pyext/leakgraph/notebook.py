"""Formats analyses for notebooks: tables, with pictures inline.

The types themselves import this module on first use.
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

#: How many cycles are drawn below their table.
DRAWN = 3


def merged_html(merged: MergedPaths) -> str:
    """The tree as a table, and as a picture."""
    table = Result._repr_html_(merged)
    try:
        picture = _image(merged.drawing) if len(merged) else ""
    except ClosedError:
        picture = ""
    return f"{table}{picture}"


def cycles_html(cycles: Cycles) -> str:
    """The table of the report, and pictures of the first cycles below it."""
    try:
        pictures = [_picture(number, cycles[number - 1]) for number in _drawn(cycles)]
    except ClosedError:
        pictures = []
    return Result._repr_html_(cycles) + "".join(pictures)


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


def _drawn(cycles: Cycles) -> range:
    return range(1, min(DRAWN, len(cycles)) + 1)


def _picture(number: int, cycle: Cycle) -> str:
    picture = _image(cycle.drawing)
    return f"<details open><summary>cycle {number}</summary>{picture}</details>"


def _preformatted(text: str) -> str:
    """Format text so that its box characters join, whatever the theme's fonts."""
    style = "font-family:monospace;line-height:1.2;white-space:pre"
    return f'<pre style="{style}">{escape(text)}</pre>'
