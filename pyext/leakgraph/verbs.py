"""The verbs that need Python: `attach`, `tree`, `export --parquet`, `sql` and `mcp`."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

from leakgraph._core import ArgumentError, Error, FileError, load
from leakgraph.extras import need
from leakgraph.run import USAGE_ERROR, fail, say, take_options

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["run_verb"]

UNREADABLE, INCOMPLETE = 3, 4

EXPORT = """\
Usage: leakgraph export SNAP --parquet DIR
"""

SQL = """\
Usage: leakgraph sql SNAP [NAME=SNAP ...] QUERY [--json]

Runs a DuckDB query over the tables of the snapshot, and prints the rows. The tables
are nodes, edges, types, retained, variables, top, cycles, tensors, figures, threads,
memory, host and findings. NAME=SNAP adds another snapshot, with tables NAME.nodes and
so on. The verb needs the Python package duckdb.

  --json  print each row as a JSON object on a line of its own

Example:
  leakgraph sql run.lgs 'select scope, name, retained.host from variables
                         order by 3 desc limit 5'
  leakgraph sql new.lgs old=old.lgs 'select type, n.count - o.count as more
                         from types n join old.types o using (type)
                         order by more desc limit 5'
"""


MCP = """\
Usage: leakgraph mcp SNAP [SNAP ...]

Serves the snapshot to an agent by the Model Context Protocol on standard input and
output. Its tools answer as the verbs of this command do. With several snapshots, the
oldest first, the tool diff compares them, and the other tools answer about the last.
The verb needs the Python package mcp, version 2 or newer.

Example for the settings of the agent:
  {"command": "leakgraph", "args": ["mcp", "run.lgs"]}
"""


def run_verb(verb: str, arguments: list[str]) -> int:
    """Do what the verb says. Return the exit code."""
    try:
        return _VERBS[verb](arguments)
    except ArgumentError as error:
        return _failed(error, USAGE_ERROR)
    except FileError as error:
        return _failed(error, UNREADABLE)
    except (Error, ImportError, OSError, MemoryError) as error:
        return _failed(error, INCOMPLETE)
    except KeyboardInterrupt:
        return _failed("cancelled", INCOMPLETE)


def _failed(error: object, code: int) -> int:
    say(" ".join(str(error).split()))
    return code


def _take(
    verb: str, arguments: list[str], known: dict[str, str], usage: str
) -> tuple[dict[str, str], list[str]]:
    """Return the options, which may stand anywhere before `--`, and the other words."""
    options: dict[str, str] = {}
    words: list[str] = []
    while arguments:
        if arguments[0] == "--":
            words += arguments[1:]
            break
        first = arguments.pop(0)
        if not first.startswith("-") or first == "-":
            words.append(first)
            continue
        needs_value = known.get(first) and arguments
        option = [first, arguments.pop(0)] if needs_value else [first]
        options.update(take_options(verb, option, known, usage))
    return options, words


def _attach(arguments: list[str]) -> int:
    """Take snapshots of another process."""
    from leakgraph.attached import OPTIONS, USAGE, attach_verb

    return attach_verb(*_take("attach", arguments, OPTIONS, USAGE))


def _tree(arguments: list[str]) -> int:
    """Take snapshots of another process and of its children."""
    from leakgraph.tree_verb import OPTIONS, USAGE, tree_verb

    return tree_verb(*_take("tree", arguments, OPTIONS, USAGE))


def _export(arguments: list[str]) -> int:
    """Write the tables of a snapshot as Parquet."""
    known = {"--parquet": "a folder"}
    options, words = _take("export", arguments, known, EXPORT)
    if len(words) != 1:
        fail(f"export takes 1 argument, not {len(words)}: see leakgraph export --help")
    with load(words[0]) as snap:
        snap.to_parquet(options["--parquet"])
    return 0


def _sql(arguments: list[str]) -> int:
    """Print the rows of a query."""
    options, words = _take("sql", arguments, {"--json": ""}, SQL)
    if len(words) < 2:
        fail("sql takes a snapshot and a query: see leakgraph sql --help")
    others = {}
    for word in words[1:-1]:
        name, equals, path = word.partition("=")
        if not equals or not name.isidentifier():
            fail(f"sql: {word} is not NAME=SNAP")
        others[name] = path
    duckdb = need("duckdb", "duckdb", "sql")
    with load(words[0]) as snap:
        try:
            rows = snap.sql(words[-1], **others)
        except duckdb.Error as error:
            said, _, _ = str(error).partition("\nLINE ")
            fail(f"sql: {' '.join(said.split())}")
    _print_rows(rows, as_json="--json" in options)
    return 0


def _print_rows(rows: object, *, as_json: bool) -> None:
    """Print all rows; a reader that closes the pipe has read enough."""
    try:
        if as_json:
            columns = rows.columns  # type: ignore[attr-defined]
            for row in rows.fetchall():  # type: ignore[attr-defined]
                print(json.dumps(dict(zip(columns, row)), default=str))
        else:
            rows.show(max_rows=1000)  # type: ignore[attr-defined]
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _mcp(arguments: list[str]) -> int:
    """Serve snapshots to an agent until it closes standard input."""
    _, words = _take("mcp", arguments, {}, MCP)
    if not words:
        fail("mcp takes 1 argument or more, not 0: see leakgraph mcp --help")
    from leakgraph.agents import serve

    serve([load(word) for word in words])
    return 0


_VERBS: dict[str, Callable[[list[str]], int]] = {
    "attach": _attach,
    "tree": _tree,
    "export": _export,
    "sql": _sql,
    "mcp": _mcp,
}
