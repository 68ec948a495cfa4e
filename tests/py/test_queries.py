"""Tests SQL over the tables of snapshots, and the verbs that need Python."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import leakgraph

pytestmark = pytest.mark.libraries

KEPT = [bytearray(3_000_000)]


def hold(batch: bytearray) -> leakgraph.Snapshot:
    return leakgraph.snapshot()


@pytest.fixture(scope="module")
def snap() -> Iterator[leakgraph.Snapshot]:
    pytest.importorskip("duckdb")
    with hold(bytearray(2_000_000)) as taken:
        yield taken


def test_tables(snap: leakgraph.Snapshot) -> None:
    counted = snap.sql(
        "select (select count(*) from nodes), (select count(*) from EDGES),"
        " (select sum(size) from nodes where device = 'host')"
    ).fetchall()
    assert counted[0][:2] == (len(snap), len(snap.edges))
    assert counted[0][2] == snap.types().size.host
    for name in ("types", "top", "cycles", "threads", "findings"):
        rows = snap.sql(f'from "{name}"').fetchall()
        limited = name in ("top", "types", "cycles")
        whole = {"limit": None} if limited else {}
        assert len(rows) == len(getattr(snap, name)(**whole)), name
    assert snap.sql("from memory").columns[:2] == ["device", "name"]
    host = dict(snap.sql("from host").fetchall())
    assert host == snap.memory().host


def test_a_record_of_bytes_has_a_number_beside_it(snap: leakgraph.Snapshot) -> None:
    with pytest.raises(leakgraph.ArgumentError, match="retained_total"):
        snap.sql("select sum(retained) from top")
    ((total,),) = snap.sql("select sum(retained_total) from top").fetchall()
    assert total == sum(row.retained for row in snap.top(limit=None))


def test_what_nodes_retain(snap: leakgraph.Snapshot) -> None:
    rows = snap.sql(
        "select n.node, dominator, reachable, retained_total"
        " from nodes n join retained using (node)"
        " where n.type in ('bytearray', 'list', 'module')"
    ).fetchall()
    assert len(rows) > 20
    for number, dominator, reachable, retained in rows:
        node = snap.node(number)
        held_by = node.dominator and node.dominator.index
        assert (held_by, node.is_reachable, node.retained.total) == (
            dominator,
            reachable,
            retained,
        )


def test_variables(snap: leakgraph.Snapshot) -> None:
    rows = snap.sql(
        "select scope, name, type, retained.host from variables order by 4 desc"
    ).fetchall()
    (kept,) = [row for row in rows if row[:2] == (__name__, "KEPT")]
    assert kept[2] == "list" and kept[3] > 3_000_000
    (batch,) = [row for row in rows if row[1] == "batch" and row[3] > 2_000_000]
    assert batch[0].startswith("hold() ") and batch[2] == "bytearray"


def test_growth_between_snapshots(snap: leakgraph.Snapshot, tmp_path: Path) -> None:
    path = snap.save(tmp_path / "old.lgs")
    more = [bytearray(10) for _ in range(777)]
    query = (
        "select type, n.count - o.count from types n join old.types o using (type)"
        " where type = 'bytearray'"
    )
    with leakgraph.snapshot() as new:
        for old in (snap, path, Path(path)):
            ((_, gained),) = new.sql(query, old=old).fetchall()
            assert len(more) - 9 < gained < len(more) + 9
    ((_, gained),) = leakgraph.sql(query, old=path).fetchall()
    assert len(more) - 9 < gained < len(more) + 9


def test_a_result_lives_on(snap: leakgraph.Snapshot) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"type": ["list"], "price": [7]})
    joined = "select type, price from types join prices using (type)"
    rows = snap.sql(joined, prices=frame)
    assert (
        rows.fetchall() == rows.df().to_records(index=False).tolist() == [("list", 7)]
    )
    rows = leakgraph.sql("select count(*) from nodes where type = 'list'")
    assert rows.fetchall() == rows.fetchall() != [(0,)]


def test_names_mean_tables(snap: leakgraph.Snapshot) -> None:
    types = "a variable of this function"
    assert types and snap.sql("select 'from edges' as top").fetchall() == [
        ("from edges",)
    ]
    with pytest.raises(leakgraph.ArgumentError, match="The tables are"):
        snap.sql("from nothing")
    with pytest.raises(TypeError):
        snap.sql()  # type: ignore[call-arg]


def test_an_error_shows_the_query_as_it_is(snap: leakgraph.Snapshot) -> None:
    with pytest.raises(Exception, match=r": select nope from top\n"):
        snap.sql("select nope from top")


def test_without_duckdb(
    monkeypatch: pytest.MonkeyPatch, part: leakgraph.Snapshot
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(ModuleNotFoundError, match="needs duckdb: run `pip install"):
        part.sql("from types")


@pytest.fixture(scope="module")
def part() -> Iterator[leakgraph.Snapshot]:
    with leakgraph.snapshot(roots=[KEPT], max_depth=2) as taken:
        yield taken


@pytest.fixture
def command(python, part):  # type: ignore[no-untyped-def]
    """Run `python -m leakgraph` beside a snapshot `part.lgs`."""
    part.save(python("-c", "").folder / "part.lgs")

    def run(*words, **environment):  # type: ignore[no-untyped-def]
        return python("-m", "leakgraph", *words, **environment)

    return run


def test_the_verb_sql(command) -> None:  # type: ignore[no-untyped-def]
    pytest.importorskip("duckdb")
    query = "select type, n.count - o.count as more from types n"
    query += " join o.types o using (type) where type = 'list'"
    done = command("sql", "part.lgs", "o=part.lgs", query, "--json")
    assert (done.code, done.err, done.out) == (0, "", '{"type": "list", "more": 0}\n')
    assert "bytearray" in command("sql", "part.lgs", "from types").out
    for code, sentence, *words in (
        (2, "sql takes a snapshot and a query", "part.lgs"),
        (2, "is not NAME=SNAP", "part.lgs", "part.lgs", "from types"),
        (2, "syntax error", "part.lgs", "selec"),
        (2, "The tables are nodes", "part.lgs", "from nothing"),
        (3, "none.lgs", "none.lgs", "from types"),
    ):
        done = command("sql", *words)
        assert (done.code, done.out) == (code, ""), done.err
        assert sentence in done.err and done.err.count("\n") == 1
    assert command("sql", "--help").out.startswith("Usage: leakgraph sql SNAP")


def test_parquet_by_the_command(command) -> None:  # type: ignore[no-untyped-def]
    pytest.importorskip("pyarrow")
    installed = shutil.which("leakgraph")
    done = command("export", "part.lgs", "--parquet", "tables")
    assert (done.code, done.out, done.err) == (0, "", "")
    files = sorted(path.name for path in (done.folder / "tables").iterdir())
    assert files == ["edges.parquet", "nodes.parquet", "types.parquet"]
    assert "Usage: leakgraph export" in command("export", "--help", "--parquet").out
    blocked = done.folder / "blocked"
    blocked.mkdir()
    (blocked / "pyarrow.py").write_text(
        "raise ModuleNotFoundError('no', name='pyarrow')"
    )
    path = os.pathsep.join([str(blocked), os.environ.get("PYTHONPATH", "")])
    assert installed
    refused = subprocess.run(
        [installed, "export", "--parquet=more", "part.lgs"],
        cwd=done.folder,
        env={**os.environ, "PYTHONPATH": path, "LEAKGRAPH_PYTHON": sys.executable},
        capture_output=True,
        text=True,
    )
    assert refused.returncode == 4
    assert refused.stderr == (
        "leakgraph: Parquet needs pyarrow: run `pip install pyarrow`\n"
    )


def test_garbage_is_what_no_root_reaches(python):
    code = """
import gc, leakgraph
gc.collect()
class Page: pass
page = Page(); page.self = page; page.data = bytearray(1000); del page
snapshot = leakgraph.snapshot()
garbage = snapshot.select("garbage")
assert not any(node.is_reachable for node in garbage)
lost = [n for n in snapshot.select("type:*") if not n.is_reachable]
assert set(lost) <= set(garbage), lost
print(snapshot.why("garbage"))
"""
    out = python("-c", code).out
    assert "The one that retains the most:" in out and "Page" in out
