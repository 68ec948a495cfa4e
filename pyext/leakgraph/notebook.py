"""What notebooks show of analyses: tables, with pictures inline.

Imported at the first use, by the types themselves.
"""

from __future__ import annotations

from html import escape

from leakgraph._core import (
    Accounting,
    ClosedError,
    Cycle,
    Cycles,
    Drawing,
    FigureRow,
    Figures,
    Finding,
    Findings,
    MergedPaths,
    TensorGroups,
    TensorRow,
    Tensors,
    Why,
)

__all__ = [
    "accounting_html",
    "cycles_html",
    "figures_html",
    "findings_html",
    "merged_html",
    "tensor_groups_html",
    "tensors_html",
    "undrawn_html",
    "why_html",
]

#: Cycles that are drawn below their table.
DRAWN = 3

_LEFT = ' style="text-align:left"'


def tensors_html(tensors: Tensors) -> str:
    """A table of the storages, and what they are of."""
    head = "<th>bytes</th><th>used</th>" + "".join(
        map(_head, ("tensor", "device", "kind", "made by", "held by"))
    )
    body = [
        _cells(_size(row.bytes), _used(row))
        + "".join(
            f"<td{_LEFT}>{escape(text)}</td>"
            for text in (
                _shape(row),
                row.device,
                row.kind,
                row.autograd or "",
                row.held_by,
            )
        )
        for row in tensors
    ]
    table = _table(head, body) if body else ""
    return _storages(tensors) + table + _mistakes(tensors)


def tensor_groups_html(groups: TensorGroups) -> str:
    """A table of the groups."""
    head = "<th>bytes</th><th>storages</th>" + _head("tensors") + _head("where")
    body = [
        _cells(_size(row.bytes), f"{row.storages:,}")
        + f"<td{_LEFT}>{escape(row.name)}</td><td{_LEFT}>{escape(_vector(row.devices))}"
        + "</td>"
        for row in groups
    ]
    return _storages(groups) + (_table(head, body) if body else "")


def figures_html(figures: Figures) -> str:
    """A table of the figures."""
    head = (
        "<th>retained</th><th>canvas</th><th>number</th><th>size</th>"
        "<th>axes</th><th>artists</th>"
    )
    body = [
        _cells(
            _size(row.retained),
            _size(row.canvas) if row.canvas else "not drawn",
            "" if row.number is None else str(row.number),
            f"{row.width}x{row.height}" if row.width else "",
            str(row.axes),
            f"{row.artists:,}",
        )
        + f"<td{_LEFT}>{escape(_holders(row))}</td>"
        for row in figures
    ]
    opened = sum(not row.closed for row in figures)
    said = f"{len(figures):,} figure{'' if len(figures) == 1 else 's'}"
    said += f", {opened:,} open in pyplot"
    table = _table(head + _head("held by"), body) if body else ""
    return f"<p>{said}</p>{table}{_mistakes(figures)}"


def _mistakes(listing: Tensors | Figures) -> str:
    """The known mistakes among its rows, below them."""
    if not listing.findings:
        return ""
    table = _findings_table(listing.findings)
    return f"<p>Known mistakes among these:</p>{table}"


def accounting_html(accounting: Accounting) -> str:
    """The report as it is."""
    return f"<pre>{escape(str(accounting))}</pre>"


def findings_html(findings: Findings) -> str:
    """The findings as a table."""
    if not len(findings):
        return f"<p>{escape(str(findings))}</p>"
    return _findings_table(findings)


def _findings_table(findings: Findings | tuple[Finding, ...]) -> str:
    """A row for each that is like no other before it, biggest first."""
    head = "<th>retained</th><th>things</th>" + "".join(
        map(_head, ("known mistake", "held by", "cause", "fix"))
    )
    groups: dict[int, list[Finding]] = {}
    for row in findings:
        groups.setdefault(row.alike, []).append(row)
    piles = sorted(groups.values(), key=_together, reverse=True)
    return _table(head, [_findings_row(pile) for pile in piles])


def _together(pile: list[Finding]) -> int:
    return sum(row.retained + row.device for row in pile)


def _findings_row(pile: list[Finding]) -> str:
    first = pile[0]
    more = f", and {len(pile) - 1:,} more like it" if len(pile) > 1 else ""
    texts = (first.pattern, first.held_by + more, first.cause, first.fix)
    things = sum(row.count for row in pile)
    return _cells(_size(_together(pile)), f"{things:,}") + "".join(
        f"<td{_LEFT}>{escape(text)}</td>" for text in texts
    )


def merged_html(merged: MergedPaths) -> str:
    """The tree as a table whose last column is indented, and as a picture."""
    together = merged.retained.host + merged.retained.device
    said = (
        f"{merged.objects:,} object{'' if merged.objects == 1 else 's'},"
        f" {_size(together)} together"
    )
    if merged.unreachable:
        said += f"; no root reaches {merged.unreachable:,} of them"
    head = "<th>retained</th><th>objects</th>" + _head("how the roots reach them")
    body = [
        _cells(_size(row.retained + row.device), f"{row.objects:,}")
        + f'<td style="text-align:left;padding-left:{row.depth * 1.5 + 0.5}em">'
        + (f"<code>{escape(row.label)}</code> " if row.label else "")
        + f"{escape(row.name)}</td>"
        for row in merged
    ]
    if not body:
        return f"<p>{said}</p>"
    try:
        picture = _image(merged.drawing)
    except ClosedError:
        picture = ""
    return f"<p>{said}</p>{_table(head, body)}{picture}"


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
    """The tree of a picture that cannot be drawn, and the sentence that says why."""
    tree, sentence = said
    return f"{_preformatted(tree)}<p>{escape(sentence)}</p>"


def _image(drawing: Drawing) -> str:
    """The picture, or what stands in for it."""
    return drawing._repr_html_() or drawing._repr_svg_() or ""


def _vector(sizes: dict[str, int]) -> str:
    parts = [f"{_size(size)} {device}" for device, size in sizes.items()]
    return " · ".join(sorted(parts, key=lambda part: part.endswith("host")))


def _storages(tensors: Tensors | TensorGroups) -> str:
    count = tensors.storages
    said = f"{count:,} storage{'' if count == 1 else 's'}"
    if tensors.bytes:
        said += f", {_vector(tensors.bytes)}"
    return f"<p>{escape(said)}</p>"


def _shape(row: TensorRow) -> str:
    if row.dtype is None:
        return ""
    shape = (
        row.shape
        if isinstance(row.shape, str)
        else ", ".join(map(str, row.shape or ()))
    )
    return f"{row.dtype}[{shape}]" + (
        f" \N{MULTIPLICATION SIGN}{row.tensors}" if row.tensors > 1 else ""
    )


def _used(row: TensorRow) -> str:
    if not 0 < row.used < row.bytes:
        return ""
    return f"{100 * row.used / row.bytes:.1f} %"


def _holders(row: FigureRow) -> str:
    if not row.reachable:
        return "nobody: garbage"
    return "; ".join(
        "pyplot's registry"
        if kind == "pyplot"
        else where
        if kind == "variable"
        else f"{kind} {where}"
        for kind, where in row.held_by
    )


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
