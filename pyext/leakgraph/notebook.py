"""Formats analyses for notebooks: tables, with pictures inline.

The types themselves import this module on first use.
"""

from __future__ import annotations

import re
from base64 import b64encode
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
    Snapshot,
    Why,
)

__all__ = [
    "cycles_html",
    "drawn_html",
    "merged_html",
    "node_html",
    "noted",
    "page_html",
    "undrawn_html",
    "why_html",
]

#: How many holders the words of a snapshot name, where its report is left out.
TOLD = 5

#: How many cycles are drawn below their table.
DRAWN = 3

#: What puts the picture itself in the place of its image: the picture takes the theme
#: of the notebook, and names what the pointer is on.
OPEN = """<script>(() => {
  const image = document.currentScript.previousElementSibling.firstElementChild;
  const bytes = Uint8Array.from(atob(image.src.split(",")[1]), (c) => c.charCodeAt(0));
  image.outerHTML = new TextDecoder().decode(bytes);
})();</script>"""


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


def page_html(said: tuple[str, Snapshot]) -> str:
    """Put the report into a frame, which keeps its styles and scripts to itself.

    A notebook that nobody trusts yet leaves out the frame, but not its words: the known
    mistakes, and what retains the most.
    """
    page, snapshot = said
    style = "width:100%;height:40em;border:0"
    words = _preformatted(f"{snapshot.findings()}\n\n{snapshot.top(TOLD)}")
    return (
        f'<iframe title="leakgraph: the report" style="{style}"'
        f' sandbox="allow-scripts allow-popups" srcdoc="{escape(page)}">{words}'
        "<p>Trust the notebook, or run the cell, to see the report.</p></iframe>"
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


def drawn_html(said: tuple[str, str]) -> str:
    """The picture, as an image of its size until a script of the cell opens it.

    A notebook that nobody trusts yet leaves out scripts and SVG, but not images. Where
    even those are left out, the tree stands for the picture.
    """
    tree, svg = said
    data = b64encode(svg.encode()).decode()
    style = svg.split('style="', 1)[1].split('"', 1)[0]
    return (
        f'<div style="overflow-x:auto"><img class="leakgraph" style="{style}"'
        f' alt="{escape(tree)}" src="data:image/svg+xml;base64,{data}"></div>{OPEN}'
    )


def undrawn_html(said: tuple[str, str]) -> str:
    """The tree of a picture that cannot be drawn, and the reason."""
    tree, sentence = said
    return f"{_preformatted(tree)}<p>{escape(sentence)}</p>"


def _image(drawing: Drawing) -> str:
    """The picture, or its replacement."""
    return drawing._repr_html_() or ""


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
