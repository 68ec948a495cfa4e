"""Queries of DuckDB over the tables of snapshots, in this process."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from leakgraph._core import ArgumentError, Snapshot, load, snapshot
from leakgraph.extras import need

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["sql"]


def sql(query: str, /, **tables: object) -> Any:
    """Run a DuckDB query over a snapshot of this process, or over others.

    The tables are those of Snapshot.sql(). Keywords add tables. A Snapshot, or the path
    of a saved one, adds all of its tables under its name:

        leakgraph.sql("from old.types", old="run.lgs")

    Anything else that DuckDB takes, such as a DataFrame, is the table of its name. The
    result is a DuckDB relation: `df()`, `arrow()`, `pl()`, `fetchall()`.

    Raises ModuleNotFoundError without duckdb, ArgumentError for a table that does not
    exist, and what DuckDB raises.
    """
    if not tables:  # DuckDB is imported later, and so not in the snapshot
        with snapshot() as own:
            return _Session(lambda: own, tables).run(query)
    taken: list[Snapshot] = []

    def take() -> Snapshot:
        if not taken:
            taken.append(snapshot())
        return taken[0]

    try:
        return _Session(take, tables).run(query)
    finally:
        for one in taken:
            one.close()


def query(request: tuple[Snapshot, str, dict[str, object]]) -> Any:
    """What Snapshot.sql() returns."""
    own, text, tables = request
    return _Session(lambda: own, tables).run(text)


#: A snapshot, or the path of one, which has tables and is none itself.
_SNAPSHOTS = (Snapshot, str, bytes, os.PathLike)


class _Retained:
    """A table of what each node retains."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def __arrow_c_stream__(self, requested_schema: object = None, /) -> object:
        return self._snapshot._retained_arrow()


#: What DuckDB reads as a table.
TABLES: dict[str, Callable[[Snapshot], object]] = {
    "nodes": lambda snap: snap.nodes,
    "edges": lambda snap: snap.edges,
    "types": lambda snap: snap.types(limit=None),
    "retained": _Retained,
    "top": lambda snap: snap.top(limit=None),
    "cycles": lambda snap: snap.cycles(limit=None),
    "tensors": lambda snap: snap.tensors(group="storage", limit=None),
    "figures": lambda snap: snap.figures(limit=None),
    "threads": lambda snap: snap.threads(),
    "memory": lambda snap: snap.memory(),
    "findings": lambda snap: snap.findings(),
}

#: The query for variables of modules and frames, from other tables.
_VARIABLES = """
with frames as (
    select *, row_number() over () as line from {threads}
), locals as (
    select *, last_value(case when kind in ('frame', 'suspended') then name end
                         ignore nulls) over (order by line) as scope
    from frames
)
select scope, l.name, n.node, n.type, n.size, l.retained
from locals l join {nodes} n on n.node = l.node
where l.kind = 'local'
union all
select m.text, v.label[3:-3], n.node, n.type, n.size, r.retained
from {nodes} m
join {edges} d on d.source = m.node and d.kind = 'dict'
join {edges} v on v.source = d.target and v.kind = 'value'
join {nodes} n on n.node = v.target
join {retained} r on r.node = n.node
where m.type = 'module'
"""
_MADE_OF = ("threads", "nodes", "edges", "retained")

#: Names that no query uses: for tables that are being copied, and for the answer.
_GIVEN, _RESULT = "leakgraph given", "leakgraph result"
_TEXT = re.compile(r"'(?:[^']|'')*'")
#: A name with its prefix: `old.nodes`, `"old"."nodes"`.
_NAME = re.compile(r'(?:(\w+|"[^"]+")\s*\.\s*)?(\w+|"[^"]+")')


class _Session:
    """A connection to DuckDB that makes the tables which a query names."""

    def __init__(self, own: Callable[[], Snapshot], tables: dict[str, object]) -> None:
        self._duckdb = need("duckdb", "duckdb", "A query")
        # Names mean tables of the snapshot, never variables of this package.
        self._connection = self._duckdb.connect(
            config={"python_enable_replacements": False}
        )
        self._own = own
        self._tables = {name.lower(): table for name, table in tables.items()}
        self._loaded: dict[str, Snapshot] = {}
        self._made: set[tuple[str, str]] = set()

    def run(self, text: str) -> Any:
        """Return the rows of the query, which no longer need the snapshots."""
        try:
            for prefix, name in _NAME.findall(_TEXT.sub("", text)):
                self._make(_bare(prefix), _bare(name))
            self._connection.execute(f'create temp table "{_RESULT}" as\n{text}')
        except self._duckdb.BinderException as error:
            said = str(error).partition("\n")[0]
            if "STRUCT(" not in said:
                raise
            raise ArgumentError(
                f"{said} Bytes are records by device; their sums are the columns "
                "beside them: retained_total, size_total."
            ) from None
        except self._duckdb.CatalogException as error:
            said = str(error).partition("\n")[0]
            if "Table with name" not in said:
                raise
            known = ", ".join([*TABLES, "variables", "host", *self._tables])
            raise ArgumentError(f"{said} The tables are {known}.") from None
        finally:
            for one in self._loaded.values():
                one.close()
        return self._connection.table(f'"{_RESULT}"')

    def _make(self, prefix: str, table: str) -> None:
        """Make the table of the name, if there is one: the name may be a column's."""
        given = self._tables.get(table)
        if given is not None and not prefix and not isinstance(given, _SNAPSHOTS):
            self._connection.register(table, given)
        elif not prefix or prefix in self._tables:
            self._make_own(prefix, table)

    def _make_own(self, prefix: str, table: str) -> None:
        """Make a table of a snapshot."""
        if (prefix, table) in self._made:
            return
        if table == "variables":
            for other in _MADE_OF:
                self._make_own(prefix, other)
            made_of = {other: _quoted(prefix, other) for other in _MADE_OF}
            self._define(prefix, table, _VARIABLES.format(**made_of))
        elif table == "host":
            self._define(prefix, table, _host(self._snapshot(prefix)))
        elif table in TABLES:
            rows = TABLES[table](self._snapshot(prefix))
            self._connection.register(_GIVEN, rows)
            self._define(prefix, table, self._with_totals())
            self._connection.unregister(_GIVEN)

    def _with_totals(self) -> str:
        """Return the query that adds a number to each record of bytes by device."""
        given = self._connection.table(f'"{_GIVEN}"')
        sums = [
            f', {_total(name, kind.children)} as "{name}_total"'
            for name, kind in zip(given.columns, given.types)
            if kind.id == "struct"
        ]
        return f'select *{"".join(sums)} from "{_GIVEN}"'

    def _define(self, prefix: str, table: str, text: str) -> None:
        if prefix:
            self._connection.execute(
                f"create schema if not exists {_quoted('', prefix)}"
            )
        name = _quoted(prefix, table)
        self._connection.execute(f"create table {name} as {text}")
        self._made.add((prefix, table))

    def _snapshot(self, prefix: str) -> Snapshot:
        """Return the snapshot whose tables have this prefix."""
        if not prefix:
            return self._own()
        given = self._tables[prefix]
        if isinstance(given, Snapshot):
            return given
        if prefix not in self._loaded:
            self._loaded[prefix] = load(given)  # type: ignore[arg-type]
        return self._loaded[prefix]


def _bare(name: str) -> str:
    """Return the name without quotes, in lower case: case does not matter."""
    return name.strip('"').lower()


def _total(name: str, devices: list[tuple[str, object]]) -> str:
    """Return the sum of a record of bytes, NULL for no record."""
    parts = [f'coalesce("{name}"."{device}", 0)' for device, _ in devices]
    return f'case when "{name}" is not null then {" + ".join(parts)} end'


def _quoted(prefix: str, table: str) -> str:
    parts = [prefix, table] if prefix else [table]
    return ".".join('"' + part.replace('"', '""') + '"' for part in parts)


def _host(snap: Snapshot) -> str:
    """Return the account of the host's memory as a query."""
    rows = ", ".join(
        f"('{name}', {'null' if value is None else value})"
        for name, value in snap.memory().host.items()
    )
    return f"select name, value::bigint as value from (values {rows}) t(name, value)"
