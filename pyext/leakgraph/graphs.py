"""Snapshots as graphs of networkx and python-igraph, and as files of Parquet."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from leakgraph.extras import need

if TYPE_CHECKING:
    from leakgraph import Edges, Nodes, Snapshot


_Report = Callable[[str, float], object]

#: How often to say how far the work is.
_STEP = 4096


def _told(items: Nodes | Edges, report: _Report, begin: float) -> Iterator[Any]:
    """The items, reported as the half of the work that begins there."""
    for number, item in enumerate(items):
        if number % _STEP == 0:
            report("copying", begin + number / len(items) / 2)
        yield item


def to_networkx(request: tuple[Snapshot, _Report]) -> Any:
    """A networkx.MultiDiGraph whose nodes are the numbers of the snapshot's.

    Nodes have `title`, `type`, `size` and `device`; edges have `label`, `kind` and
    `weak`.
    """
    networkx = need("networkx", "networkx", "to_networkx()")
    snapshot, report = request
    graph = networkx.MultiDiGraph()
    graph.add_nodes_from(
        (
            node.index,
            {
                "title": node.label,
                "type": node.type_name,
                "size": node.size,
                "device": node.device,
            },
        )
        for node in _told(snapshot.nodes, report, 0)
    )
    graph.add_edges_from(
        (
            edge.source.index,
            edge.target.index,
            {"label": edge.label, "kind": edge.kind, "weak": edge.weak},
        )
        for edge in _told(snapshot.edges, report, 0.5)
    )
    return graph


def to_igraph(request: tuple[Snapshot, _Report]) -> Any:
    """A directed igraph.Graph whose vertices are the snapshot's nodes, in order.

    The attributes are those of to_networkx().
    """
    igraph = need("igraph", "igraph", "to_igraph()")
    snapshot, report = request
    nodes = [
        (node.label, node.type_name, node.size, node.device)
        for node in _told(snapshot.nodes, report, 0)
    ]
    edges = [
        (edge.source.index, edge.target.index, edge.label, edge.kind, edge.weak)
        for edge in _told(snapshot.edges, report, 0.5)
    ]
    title, type_name, size, device = zip(*nodes) if nodes else ([],) * 4
    source, target, label, kind, weak = zip(*edges) if edges else ([],) * 5
    return igraph.Graph(
        n=len(nodes),
        edges=list(zip(source, target)),
        directed=True,
        vertex_attrs={
            "title": title,
            "type": type_name,
            "size": size,
            "device": device,
        },
        edge_attrs={"label": label, "kind": kind, "weak": weak},
    )


def to_parquet(request: tuple[Snapshot, _Report, str]) -> list[str]:
    """Writes nodes.parquet, edges.parquet and types.parquet into a folder."""
    pyarrow = need("pyarrow", "pyarrow", "Parquet")
    parquet = need("pyarrow.parquet", "pyarrow", "Parquet")
    snapshot, report, folder = request
    tables = {
        "nodes": snapshot.nodes,
        "edges": snapshot.edges,
        "types": snapshot.types(limit=None, progress=False),
    }
    os.makedirs(folder, exist_ok=True)
    written: list[str] = []
    for name, rows in tables.items():
        report(f"writing {name}", len(written) / len(tables))
        written.append(os.path.join(folder, f"{name}.parquet"))
        parquet.write_table(pyarrow.table(rows), written[-1])
    return written
