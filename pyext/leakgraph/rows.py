"""Rows of tables, made from the reports' JSON, so that both say the same.

The types themselves call these functions, in C.
"""

from __future__ import annotations

import json

from leakgraph._core import (
    Account,
    Bytes,
    FigureRow,
    Finding,
    MergedRow,
    Snapshot,
    TensorGroup,
    TensorRow,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "account_host",
    "account_rows",
    "figure_rows",
    "finding_rows",
    "merged_facts",
    "merged_rows",
    "tensor_facts",
    "tensor_groups",
    "tensor_rows",
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


def tensor_rows(given: tuple[Snapshot, str]) -> tuple[TensorRow, ...]:
    """Rows of `Tensors`, from a snapshot and the report's JSON."""
    snapshot, text = given
    return tuple(_tensor_row(snapshot, row) for row in json.loads(text)["rows"])


def tensor_groups(given: tuple[Snapshot, str]) -> tuple[TensorGroup, ...]:
    """Rows of `TensorGroups`, from a snapshot and the report's JSON."""
    report = json.loads(given[1])
    return tuple(
        TensorGroup(
            (
                row[report["group"]],
                row["storages"],
                sum(row["bytes"].values()),
                _present(row["bytes"]),
            )
        )
        for row in report["rows"]
    )


def tensor_facts(text: str) -> tuple[int, dict[str, int]]:
    """The rest of both: storages, their bytes by device."""
    report = json.loads(text)
    return report["storages"], _present(report["bytes"])


def figure_rows(given: tuple[Snapshot, str]) -> tuple[FigureRow, ...]:
    """Rows of `Figures`, from a snapshot and the report's JSON."""
    snapshot, text = given
    return tuple(_figure_row(snapshot, row) for row in json.loads(text)["figures"])


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


def finding_rows(given: tuple[Snapshot, str]) -> tuple[Finding, ...]:
    """Findings of a report, from a snapshot and the report's JSON."""
    snapshot, text = given
    rows = []
    for row in json.loads(text)["findings"] or ():
        nodes = [
            None if row[key] is None else snapshot.node(row[key])
            for key in ("holder", "example")
        ]
        said = (row["pattern"], row["cause"], row["fix"], nodes[0], row["held_by"])
        kept = (nodes[1], row["count"])
        device = sum(row["retained"].values()) - row["retained"]["host"]
        retained = (row["retained"]["host"], device)
        rows.append(Finding((*said, *kept, *retained, row["alike"])))
    return tuple(rows)


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


def _tensor_row(snapshot: Snapshot, row: dict[str, Any]) -> TensorRow:
    shape = row["shape"]
    return TensorRow(
        (
            snapshot.node(row["node"]),
            None if row["tensor"] is None else snapshot.node(row["tensor"]),
            row["device"],
            row["dtype"],
            tuple(shape) if isinstance(shape, list) else shape,
            row["kind"],
            row["bytes"],
            row["used"],
            row["tensors"],
            row["autograd"],
            row["held_by"],
            row["allocation"],
            row["block"],
        )
    )


def _present(sizes: dict[str, int]) -> dict[str, int]:
    return {device: size for device, size in sizes.items() if size}


def _figure_row(snapshot: Snapshot, row: dict[str, Any]) -> FigureRow:
    return FigureRow(
        (
            snapshot.node(row["node"]),
            row["number"],
            row["width"],
            row["height"],
            row["axes"],
            row["artists"],
            row["canvas"],
            row["retained"]["host"] + row["retained"]["device"],
            row["closed"],
            row["reachable"],
            tuple((holder["kind"], holder["where"]) for holder in row["held_by"]),
        )
    )
