"""Rows of tables, made from the reports' JSON, so that both say the same.

The types themselves call these functions, in C.
"""

from __future__ import annotations

import json

from leakgraph._core import (
    Account,
    Bytes,
    MergedRow,
    Snapshot,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "account_host",
    "account_rows",
    "merged_facts",
    "merged_rows",
]

#: Fields of `Account` that are in the report under the same name.
_ACCOUNT = (
    "device",
    "known",
    "reserved",
    "allocated",
    "pending",
    "inactive",
    "private_inactive",
    "attributed",
    "used",
    "rounding",
    "slack",
    "unattributed",
    "outside",
    "stale",
    "residual",
    "beyond",
)


def account_rows(given: tuple[Snapshot, str]) -> tuple[Account, ...]:
    """Rows of `Accounting`, from a snapshot and the report's JSON."""
    rows = []
    for row in json.loads(given[1])["devices"]:
        kinds = {kind: size for kind, size in row["by_kind"].items() if size}
        evidence = {
            name: (at["bytes"], at["blocks"])
            for name, at in row["by_evidence"].items()
            if at["blocks"]
        }
        told = (row[name] for name in _ACCOUNT)
        rows.append(Account((*told, kinds, evidence)))
    return tuple(rows)


def account_host(text: str) -> dict[str, int | None]:
    """The host's bytes of `Accounting`, from the report's JSON."""
    host: dict[str, int | None] = json.loads(text)["host"]
    return host


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
