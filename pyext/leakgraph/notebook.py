"""Formats analyses for notebooks: tables, with pictures inline.

The types themselves import this module on first use.
"""

from __future__ import annotations

import re
from html import escape

from leakgraph._core import (
    ClosedError,
    Cycle,
    Cycles,
    Drawing,
    Error,
    MergedPaths,
    Node,
    Result,
    Size,
    Why,
)

__all__ = [
    "cycles_html",
    "merged_html",
    "node_html",
    "noted",
    "page_html",
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
    """The table of the report, and pictures of the first cycles that differ."""
    try:
        pictures = [
            _picture(number, cycles[number - 1], opened=number == 1)
            for number in _drawn(cycles)
        ]
    except ClosedError:
        pictures = []
    return Result._repr_html_(cycles) + "".join(pictures)


def node_html(node: Node) -> str:
    """What the object is, and who holds it."""
    facts = {
        "type": node.type_name,
        "shallow size": str(Size({node.device: node.size})),
        **{name: str(value) for name, value in _known(node).items()},
        **node.facts,
    }
    rows = "".join(
        f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>"
        for name, value in facts.items()
    )
    return f"<p><b>{escape(node.label)}</b></p><table>{rows}</table>"


def page_html(page: str) -> str:
    """Put the report into a frame, which keeps its styles and scripts to itself.

    A notebook that nobody trusts yet leaves out the frame, but not its text.
    """
    style = "width:100%;height:40em;border:0"
    untrusted = "Trust the notebook, or run the cell, to see the report."
    return (
        f'<iframe title="leakgraph: the report" style="{style}"'
        f' sandbox="allow-scripts allow-popups" srcdoc="{escape(page)}">'
        f"{untrusted}</iframe>"
    )


def why_html(why: Why) -> str:
    """The report, and the picture below it."""
    text = _preformatted(str(why))
    return f"{noted(text) if why.snapshot.closed else text}{_image(why.drawing)}"


def noted(shown: str) -> str:
    """The answer of a snapshot that was taken for it alone: what its numbers mean."""
    if not re.search(r"#\d", shown):
        return shown
    said = (
        "Numbers such as #12 are of this answer only:"
        " ask a snapshot that you keep, and they stay the same."
    )
    return f'{shown}<p style="font-size:smaller;opacity:0.7">{said}</p>'


def undrawn_html(said: tuple[str, str]) -> str:
    """The tree of a picture that cannot be drawn, and the reason."""
    tree, sentence = said
    return f"{_preformatted(tree)}<p>{escape(sentence)}</p>"


def _image(drawing: Drawing) -> str:
    """The picture, or its replacement."""
    return drawing._repr_html_() or drawing._repr_svg_() or ""


def _known(node: Node) -> dict[str, object]:
    """What the analysis says; nothing without one."""
    try:
        retained, path = node.retained, node.path
    except Error:
        return {}
    return {"retained": retained, "held by": path if path is not None else "nothing"}


def _drawn(cycles: Cycles) -> list[int]:
    """Return the numbers of the first cycles, of those that are alike one."""
    first: dict[int, int] = {}
    for number, cycle in enumerate(cycles, 1):
        first.setdefault(cycle.group, number)
    return list(first.values())[:DRAWN]


def _picture(number: int, cycle: Cycle, *, opened: bool) -> str:
    state = " open" if opened else ""
    picture = _image(cycle.drawing)
    return f"<details{state}><summary>cycle {number}</summary>{picture}</details>"


def _preformatted(text: str) -> str:
    """Format text so that its box characters join, whatever the theme's fonts."""
    style = "font-family:monospace;line-height:1.2;white-space:pre-wrap"
    return f'<pre style="{style}">{escape(text)}</pre>'
