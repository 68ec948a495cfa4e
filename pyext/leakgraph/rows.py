"""Rows of tables, made from the reports' JSON, so that both say the same.

The types themselves call these functions, in C.
"""

from __future__ import annotations

import json

from leakgraph._core import (
    Bytes,
    MergedRow,
    Snapshot,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "merged_facts",
    "merged_rows",
]


def merged_rows(given: tuple[Snapshot, str]) -> tuple[MergedRow, ...]:
    """Rows of `MergedPaths`, from a snapshot and the report's JSON."""
    snapshot, text = given
    return tuple(_merged_row(snapshot, row) for row in json.loads(text)["rows"])


def merged_facts(text: str) -> tuple[int, int, Bytes]:
    """The rest of `MergedPaths`: objects, those unreachable, bytes retained."""
    report = json.loads(text)
    retained = Bytes((report["retained"]["host"], report["retained"]["device"]))
    return report["objects"], report["unreachable"], retained


def _merged_row(snapshot: Snapshot, row: dict[str, Any]) -> MergedRow:
    node = snapshot.node(row["node"]) if "node" in row else None
    count = row.get("count") or row.get("more") or row.get("passed", 0)
    if node is None:
        name = f"{count:,} {'more' if 'more' in row else 'references further on'}"
    elif count == 1:
        name = node.label
    else:
        name = f"{count:,} {row['type']}"
    host, device = row["retained"]["host"], row["retained"]["device"]
    label = row.get("label", "")
    objects = row["objects"]
    return MergedRow((row["depth"], label, name, node, count, objects, host, device))
