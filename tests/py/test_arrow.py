"""Tables for Arrow's C data interface, read by pyarrow and pandas."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

import leakgraph

ALLOCATOR = Path(__file__).parents[1] / "fixtures" / "allocator" / "plain.json"


class Crate:
    pass


CRATE = Crate()
CRATE.items = [bytearray(1000), "ü" * 3]  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def snap() -> Iterator[leakgraph.Snapshot]:
    with leakgraph.snapshot() as taken:
        yield taken


@pytest.fixture(scope="module")
def part() -> Iterator[leakgraph.Snapshot]:
    with leakgraph.snapshot(roots=[CRATE], max_depth=2) as taken:
        yield taken


def test_capsules_need_no_library(part: leakgraph.Snapshot) -> None:
    for table in (part.nodes, part.edges, part.nodes[1:1], part.types()):
        capsule = table.__arrow_c_stream__()
        assert "arrow_array_stream" in repr(capsule)
        del capsule
    with pytest.raises(TypeError):
        part.nodes.__arrow_c_stream__(None, None)  # type: ignore[call-arg]
    gc.collect()


@pytest.mark.libraries
def test_nodes_and_edges(part: leakgraph.Snapshot) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    nodes, edges = pyarrow.table(part.nodes), pyarrow.table(part.edges)
    nodes.validate(full=True)
    edges.validate(full=True)
    assert nodes.to_pylist() == [
        {
            "node": node.index,
            "address": node.address,
            "size": node.size,
            "refcount": node.refcount,
            "found": node.found,
            "type": node.type_name,
            "text": node.text or None,
            "device": node.device,
        }
        for node in part.nodes
    ]
    assert edges.to_pylist() == [
        {
            "source": edge.source.index,
            "target": edge.target.index,
            "kind": edge.kind,
            "label": edge.label,
            "weak": edge.weak,
        }
        for edge in part.edges
    ]
    assert pyarrow.table(part.nodes[5:1:-2])["node"].to_pylist() == [5, 3]
    backwards = pyarrow.table(part.edges[::-1])["source"].to_pylist()
    assert backwards == [edge.source.index for edge in part.edges][::-1]
    assert pyarrow.table(part.nodes[1:1]).num_rows == 0


@pytest.mark.libraries
def test_results(snap: leakgraph.Snapshot) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    pandas = pytest.importorskip("pandas")
    types = pyarrow.table(snap.types(limit=5))
    assert types["count"].to_pylist() == [row.count for row in snap.types(limit=5)]
    top = snap.top(limit=4)
    table = pyarrow.table(top)
    table.validate(full=True)
    assert table["node"].to_pylist() == [row.node.index for row in top if row.node]
    assert table["retained"].to_pylist() == [dict(row.retained) for row in top]
    assert pyarrow.table(top[1:3])["held_by"].to_pylist() == [
        row.held_by for row in top[1:3]
    ]
    kept = pyarrow.table(snap.what_if(f"{__name__}.CRATE"))
    assert "test_arrow.Crate" in kept["type"].to_pylist()
    for answer in (snap.cycles(), snap.findings(), snap.dominators(), snap.tensors()):
        pyarrow.table(answer).validate(full=True)
    frame = table.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and len(frame) == 4


def hold(batch: bytearray) -> leakgraph.Snapshot:
    return leakgraph.snapshot()


@pytest.mark.libraries
def test_threads_and_memory() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    with hold(bytearray(5000)) as taken:
        threads, memory = taken.threads(), taken.memory()
    table = pyarrow.table(threads)
    table.validate(full=True)
    assert table.to_pylist() == threads.to_dicts()
    assert {"batch", "taken"} & set(table["name"].to_pylist())
    assert pyarrow.table(threads[1:3])["kind"].to_pylist() == [
        row.kind for row in threads[1:3]
    ]
    nothing = pyarrow.table(threads[:0])
    assert nothing.num_rows == 0 and nothing["retained"].type.names == ["host"]
    accounts = pyarrow.table(memory)
    accounts.validate(full=True)
    assert accounts.column_names == list(memory._row._fields)
    assert accounts.to_pylist() == memory.to_dicts()


@pytest.mark.libraries
def test_accounts_of_devices(part: leakgraph.Snapshot) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    accounting = leakgraph.cuda.attribute(ALLOCATOR, part)
    rows = pyarrow.table(accounting).to_pylist()
    assert rows == accounting.to_dicts()
    values = {(row["device"], row["name"]): row["value"] for row in rows}
    (account,) = accounting.devices
    for kind, size in account.by_kind.items():
        assert values[account.device, f"by_kind.{kind}"] == size
    for name, blocks in account.by_evidence.items():
        assert values[account.device, f"by_evidence.{name}"] == blocks["bytes"]
    for name in ("reserved", "allocated", "stale", "peak_reserved"):
        assert values[account.device, name] == getattr(account, name)


@pytest.mark.libraries
def test_unknown_values_of_threads(part: leakgraph.Snapshot) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    threads = part.threads()
    assert pyarrow.table(threads).to_pylist() == threads.to_dicts()


@pytest.mark.libraries
def test_schemas() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    with leakgraph.snapshot(roots=[CRATE], max_depth=1) as taken:
        for rows in (taken.nodes, taken.edges):
            schema = pyarrow.schema(rows)
            assert schema == pyarrow.table(rows).schema
        kept = taken.nodes
    with pytest.raises(leakgraph.ClosedError):
        kept.__arrow_c_schema__()


@pytest.mark.libraries
def test_parquet(part: leakgraph.Snapshot, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    from pyarrow import parquet

    said: list[tuple[str, float]] = []
    files = part.to_parquet(
        tmp_path / "run", progress=lambda phase, done: said.append((phase, done))
    )
    assert said[0] == ("writing nodes", 0.0) and said[-1] == ("done", 1.0)
    assert [Path(one).name for one in files] == [
        "nodes.parquet",
        "edges.parquet",
        "types.parquet",
    ]
    counts = [parquet.read_table(one).num_rows for one in files]
    assert counts == [len(part), len(part.edges), len(part.types(None))]
