"""Snapshots as graphs of networkx and python-igraph, and as files of Parquet."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from leakgraph.extras import need

if TYPE_CHECKING:
    from leakgraph import Snapshot


def to_networkx(snapshot: Snapshot) -> Any:
    """A networkx.MultiDiGraph whose nodes are the numbers of the snapshot's.

    Nodes have `title`, `type`, `size` and `device`; edges have `label`, `kind` and
    `weak`.
    """
    import networkx

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
        for node in snapshot.nodes
    )
    graph.add_edges_from(
        (
            edge.source.index,
            edge.target.index,
            {"label": edge.label, "kind": edge.kind, "weak": edge.weak},
        )
        for edge in snapshot.edges
    )
    return graph


def to_igraph(snapshot: Snapshot) -> Any:
    """A directed igraph.Graph whose vertices are the snapshot's nodes, in order.

    The attributes are those of to_networkx().
    """
    import igraph

    nodes, edges = snapshot.nodes, snapshot.edges
    return igraph.Graph(
        n=len(nodes),
        edges=[(edge.source.index, edge.target.index) for edge in edges],
        directed=True,
        vertex_attrs={
            "title": [node.label for node in nodes],
            "type": [node.type_name for node in nodes],
            "size": [node.size for node in nodes],
            "device": [node.device for node in nodes],
        },
        edge_attrs={
            "label": [edge.label for edge in edges],
            "kind": [edge.kind for edge in edges],
            "weak": [edge.weak for edge in edges],
        },
    )


def to_parquet(request: tuple[Snapshot, str]) -> list[str]:
    """Writes nodes.parquet, edges.parquet and types.parquet into a folder."""
    pyarrow = need("pyarrow", "pyarrow", "Parquet")
    parquet = need("pyarrow.parquet", "pyarrow", "Parquet")
    snapshot, folder = request
    tables = {
        "nodes": snapshot.nodes,
        "edges": snapshot.edges,
        "types": snapshot.types(limit=None),
    }
    os.makedirs(folder, exist_ok=True)
    written = []
    for name, rows in tables.items():
        written.append(os.path.join(folder, f"{name}.parquet"))
        parquet.write_table(pyarrow.table(rows), written[-1])
    return written
