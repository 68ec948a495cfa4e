"""Tests what agents ask: the tools alone, and over the wire if mcp is installed."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import leakgraph
from leakgraph.agents import LONG, Tools

pytestmark = pytest.mark.libraries


class Shelf:
    def __init__(self) -> None:
        self.books = [bytearray(100_000) for _ in range(30)]
        self.back = self


SHELF = Shelf()
NAME = f"{__name__}.SHELF"


@pytest.fixture(scope="module")
def snap() -> Iterator[leakgraph.Snapshot]:
    with leakgraph.snapshot() as taken:
        yield taken


@pytest.fixture(scope="module")
def tools(snap: leakgraph.Snapshot) -> Tools:
    return Tools([snap])


def test_every_answer_is_small_and_json(tools: Tools) -> None:
    answers = [
        tools.info(),
        tools.findings(),
        tools.top(),
        tools.cycles(),
        tools.types(),
        tools.tensors(),
        tools.tensors(group="kind"),
        tools.figures(),
        tools.waste(),
        tools.memory(),
        tools.search(words="type:str"),
        tools.references("name:sys.modules", "referents", 10_000),
    ]
    for answer in answers:
        assert len(json.dumps(answer)) < 40_000
    types = answers[4]
    assert len(types["rows"]) == 10 < types["types"]
    assert types["left_out"].endswith("rows; limit shows more")
    assert len(answers[-1]["rows"]) == 100


def test_rows_name_what_the_next_question_takes(
    tools: Tools, snap: leakgraph.Snapshot
) -> None:
    (row,) = tools.search(words=f"name:{NAME}")["rows"]
    assert row["name"].endswith("Shelf") and row["retained"]["host"] > 3_000_000
    why = tools.why(row["node"])
    assert why["object"]["selector"] == row["node"]
    assert why["retained"] == row["retained"] and "SHELF" in why["text"]
    dies = tools.what_if(cut=[why["cut_any_of"][0]])
    assert dies["size"]["host"] >= row["retained"]["host"]
    held = tools.references(row["node"], "referents")["rows"]
    (books,) = [one for one in held if one["label"] in (".books", "['books']")] or [
        tools.references(f"name:{NAME}.books")["object"]
    ]
    assert tools.why(books["selector"])["retained"]["host"] > 3_000_000
    (kind,) = tools.types(limit=1, by="count")["rows"]
    assert len(snap.select(f"type:{kind['type']}")) == kind["count"]
    loop = [one for one in tools.cycles(100)["rows"] if "Shelf" in one["cycle"]]
    assert loop and tools.why(loop[0]["node"])["object"]["name"].endswith("Shelf")


def test_several_snapshots(snap: leakgraph.Snapshot) -> None:
    SHELF.books += [bytearray(100_000) for _ in range(40)]
    with leakgraph.snapshot() as later:
        both = Tools([snap, later])
        rows = both.diff(limit=20)["rows"]
        apart = both.ranks()
    del SHELF.books[30:]
    (row,) = [one for one in rows if "SHELF.books" in one["held_by"]]
    assert row["counts"] == [30, 70], row
    (row,) = [one for one in apart["rows"] if "SHELF.books" in one["held_by"]]
    assert row["apart"] > 4_000_000 and len(apart["ranks"]) == 2
    with pytest.raises(leakgraph.ArgumentError, match="one of each process"):
        Tools([snap]).ranks()
    with pytest.raises(leakgraph.ArgumentError, match="serve more"):
        Tools([snap]).diff()


def test_long_texts_are_cut() -> None:
    from leakgraph.agents import _plain

    assert _plain("x" * LONG) == "x" * LONG
    assert _plain("x" * (LONG + 5)).endswith("x... (5 characters are left out)")
    assert _plain(tuple(range(12))) == [*range(10), "2 more"]


def test_over_the_wire(tmp_path: Path) -> None:
    mcp = pytest.importorskip("mcp")
    with leakgraph.snapshot(roots=[SHELF], max_depth=4) as part:
        path = part.save(tmp_path / "part.lgs")

    async def ask() -> tuple[list[str], Any, Any]:
        server = mcp.StdioServerParameters(
            command=sys.executable,
            args=["-m", "leakgraph", "mcp", path],
            env=dict(os.environ),
        )
        async with mcp.Client(mcp.stdio_client(server)) as client:
            known = [tool.name for tool in (await client.list_tools()).tools]
            arguments = {"words": "type:bytearray", "limit": 3}
            types = await client.call_tool("types", {"limit": 2})
            refused = await client.call_tool("search", arguments)
            return known, types, refused

    known, types, refused = asyncio.run(ask())
    verbs = "top why cycles findings types tensors memory what_if diff search"
    assert set(verbs.split()) <= set(known)
    answer = json.loads(types.content[0].text)
    assert answer["rows"][0]["type"] == "bytearray.memory"
    assert answer["left_out"]
    # A part of a heap has no retained sizes, and the answer says why.
    assert refused.is_error and "part" in refused.content[0].text


def test_without_mcp(monkeypatch: pytest.MonkeyPatch, snap: leakgraph.Snapshot) -> None:
    from leakgraph import agents

    monkeypatch.setitem(sys.modules, "mcp", None)
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    with pytest.raises(ModuleNotFoundError, match="mcp needs 'mcp>=2'"):
        agents.serve([snap])
