"""Drawings of leakgraph.objgraph: objects and what is near them, as DOT."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from leakgraph import _core
from leakgraph.objgraph_labels import (
    ExtraInfo,
    NodeAttributes,
    edge_label,
    gradient,
    is_instance,
    obj_attrs,
    obj_label,
    obj_node_id,
)
from leakgraph.objgraph_search import Neighbours, Prepare

Filter = Callable[[Any], object]

_START, _END = (0.0, 0.0, 1.0), (0.0, 0.0, 0.3)
#: Shows a lone surrogate, which UTF-8 cannot encode, as its escape.
UNENCODABLE = "backslashreplace"
_NOTE = "color=red,style=dotted,len=0.25,weight=10"


class Graph(str):
    """A drawing as DOT, which a notebook shows as a picture."""

    def _repr_svg_(self) -> str:
        dot = self.encode(errors=UNENCODABLE).decode()
        return _core._render(dot, "svg").decode()


@dataclass
class Options:
    """What a drawing shows."""

    swap_source_target: bool = False
    max_depth: int = 3
    extra_ignore: Iterable[int] = ()
    filter: Filter | None = None
    too_many: int = 10
    highlight: Filter | None = None
    extra_info: ExtraInfo | None = None
    refcounts: bool = False
    shortnames: bool = True
    cull_func: Filter | None = None
    extra_node_attrs: NodeAttributes | None = None


@dataclass
class Writer:
    """Visits the objects and their neighbours, nearest first, and writes DOT."""

    options: Options
    edge_func: Neighbours
    prepare: Prepare | None = None
    lines: list[str] = field(default_factory=list)
    depth: dict[int, int] = field(default_factory=dict)
    queue: list[Any] = field(default_factory=list)
    ignored: set[int] = field(default_factory=set)

    def write(self, objs: list[Any]) -> str:
        """Return the drawing; len(self.depth) is the number of its objects."""
        self.lines.append("digraph ObjectGraph {")
        self.lines.append("  node[shape=box, style=filled, fillcolor=white];")
        own = (objs, self, self.__dict__, self.lines, self.depth)
        self.ignored.update(self.options.extra_ignore, map(id, own))
        for obj in objs:
            self._add(obj, 0)
            self.lines.append(f"  {obj_node_id(obj)}[fontcolor=red];")
        while self.queue:
            level, self.queue = self.queue, []
            self.ignored.update((id(level), id(self.queue)))
            self._write_level(level)
        self.lines.append("}\n")
        return "\n".join(self.lines)

    def _add(self, obj: object, depth: int) -> None:
        if id(obj) not in self.depth:
            self.depth[id(obj)] = depth
            self.queue.append(obj)

    def _write_level(self, level: list[object]) -> None:
        inner = [one for one in level if self._goes_on(one)]
        if self.prepare is not None and inner:
            self.prepare(inner)
        going_on = set(map(id, inner))
        for obj in level:
            self._write_object(obj, id(obj) in going_on)

    def _goes_on(self, obj: object) -> bool:
        options = self.options
        culled = options.cull_func is not None and options.cull_func(obj)
        return self.depth[id(obj)] < options.max_depth and not culled

    def _write_object(self, obj: object, goes_on: bool) -> None:
        options, depth, name = self.options, self.depth[id(obj)], obj_node_id(obj)
        label = obj_label(
            obj, options.extra_info, options.refcounts, options.shortnames
        )
        attributes = obj_attrs(obj, options.extra_node_attrs)
        self.lines.append(f'  {name}[label="{label}"{attributes}];')
        self._write_colour(obj, name, depth)
        if hasattr(type(obj), "__del__"):
            self._write_note(
                name,
                f"{name}_has_a_del",
                'label="__del__",shape=doublecircle,height=0.25,color=red,'
                'fillcolor="0,.5,1",fontsize=6',
            )
        if goes_on:
            self._write_neighbours(obj, name, depth)

    def _write_colour(self, obj: object, name: str, depth: int) -> None:
        hue, saturation, value = gradient(_START, _END, depth, self.options.max_depth)
        if is_instance(obj, type(os)):
            hue, saturation = 0.3, 1.0
        if self.options.highlight is not None and self.options.highlight(obj):
            hue, saturation, value = 0.6, 0.6, 0.5 + value * 0.5
        colour = f"{hue:g},{saturation:g},{value:g}"
        self.lines.append(f'  {name}[fillcolor="{colour}"];')
        if value < 0.5:
            self.lines.append(f"  {name}[fontcolor=white];")

    def _write_note(self, name: str, note: str, attributes: str) -> None:
        self.lines.append(f"  {name}->{note}[{_NOTE}];")
        self.lines.append(f"  {note}[{attributes}];")

    def _write_neighbours(self, obj: object, name: str, depth: int) -> None:
        options, shown, more = self.options, 0, 0
        for one in self.edge_func(obj):
            if id(one) in self.ignored:
                continue
            if options.filter is not None and not options.filter(one):
                continue
            if shown == options.too_many:
                more += 1
                continue
            shown += 1
            self._write_edge(obj, one)
            self._add(one, depth + 1)
        if more == 0:
            return
        value = gradient(_START, _END, depth + 1, options.max_depth)[2]
        note = f"too_many_{name}"
        self._write_note(
            name,
            note,
            f'label="{more} more references",shape=box,height=0.25,color=red,'
            f'fillcolor="0,1,{value:g}",fontsize=6',
        )
        self.lines.append(f"  {note}[fontcolor=white];")

    def _write_edge(self, obj: object, neighbour: object) -> None:
        source, target = neighbour, obj
        if self.options.swap_source_target:
            source, target = obj, neighbour
        label = edge_label(source, target, self.options.shortnames)
        ends = f"{obj_node_id(source)} -> {obj_node_id(target)}"
        self.lines.append(f"  {ends}{label};")


def write_files(dot: str, nodes: int, filename: str | None) -> None:
    """Write DOT and, unless the name ends with .dot, the picture; print where."""
    if filename is not None and filename.endswith(".dot"):
        dot_name = filename
        with open(dot_name, "w", encoding="utf-8", errors=UNENCODABLE) as stream:
            stream.write(dot)
    else:
        number, dot_name = tempfile.mkstemp(".dot", "objgraph-")
        with os.fdopen(number, "w", encoding="utf-8", errors=UNENCODABLE) as stream:
            stream.write(dot)
    print(f"Graph written to {dot_name} ({nodes} nodes)")
    present(dot_name, filename)


def present(dot_filename: str, filename: str | None = None) -> None:
    """Draw a file of DOT, as a PNG beside it if no other name is given."""
    if filename is not None and filename.endswith(".dot"):
        return
    if filename is None:
        filename = os.path.splitext(dot_filename)[0] + ".png"
    with open(dot_filename, encoding="utf-8") as stream:
        dot = stream.read()
    suffix = os.path.splitext(filename)[1][1:]
    picture = _core._render(dot, suffix or "png")
    with open(filename, "wb") as image:
        image.write(picture)
    print(f"Image generated as {filename}")
