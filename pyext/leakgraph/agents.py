"""A server of the Model Context Protocol: what agents ask about snapshots.

The tools give the answers of the command's verbs, but shorter. Each says what it leaves
out, and names objects by selectors that the next question takes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature
from typing import Any, Literal, Optional

import leakgraph
from leakgraph._core import (
    ArgumentError,
    Edge,
    Edges,
    Error,
    Node,
    Result,
    Size,
    Snapshot,
    _questions,
)
from leakgraph.extras import need

__all__ = ["Tools", "serve"]

INSTRUCTIONS = """\
These tools answer what keeps memory alive in a snapshot of a Python process. Sizes are
bytes by device. Retained bytes are freed with the object. "#17" names an object: pass
it on as the selector. Other selectors: type:torch.Tensor (* stands for any text, a
trailing + adds subclasses), name:train.trainer.losses[0], module:train, 0x7f12a4c0.
Begin with findings and top, then ask why of what is big, and what_if before you
propose a fix.
"""

#: The most rows of an answer, whatever limit the agent asks for.
MOST = 100
#: In characters: longer texts are cut.
LONG = 4000
#: In items: longer lists in a row are cut.
WIDE = 10

Answer = dict[str, Any]


#: The questions that have a tool each, by their names.
QUESTIONS = {
    one["name"]: one
    for one in json.loads(_questions())["questions"]
    if one["result"] and not one["needs_several"]
}


class Tools:
    """The tools: each public method is one, and so is each of QUESTIONS."""

    def __init__(self, snapshots: list[Snapshot]) -> None:
        self._snapshots = snapshots
        self._snap = snapshots[-1]

    def __getattr__(self, name: str) -> Callable[..., Answer]:
        """Return the tool of a question."""
        if name not in QUESTIONS:
            raise AttributeError(f"there is no tool {name}")
        return _tool(self._snap, QUESTIONS[name])

    def info(self) -> Answer:
        """Say which process the snapshot is of, when it was taken, and its size."""
        return {"text": _cut(str(self._snap.info())), "snapshots": len(self._snapshots)}

    def why(self, selector: str) -> Answer:
        """Explain what keeps an object alive: the path from a root and what to cut.

        `cut` and `path` are texts that what_if takes.
        """
        why = self._snap.why(selector)
        cuts = [f"#{hop.source.index}->#{hop.target.index}" for hop in why.frees]
        answer: Answer = {"text": _cut(str(why)), "object": _handle(why.node)}
        answer["retained"] = _plain(why.retained)
        answer["cut_any_of"] = cuts[:WIDE]
        answer["path"] = _path(why.path or ())
        if why.dominator is not None:
            answer["dominator"] = _handle(why.dominator)
        return answer

    def diff(self, limit: int = 10) -> Answer:
        """List what grows from the oldest snapshot to the newest, and who holds it."""
        if len(self._snapshots) < 2:
            raise ArgumentError("There is one snapshot: serve more, the oldest first.")
        first, *more = self._snapshots
        return _rows(first.diff(*more), limit)

    def ranks(self, min_bytes: int = 1 << 20, limit: int = 10) -> Answer:
        """List where the processes of one job differ, if each snapshot is of one."""
        if len(self._snapshots) < 2:
            raise ArgumentError("There is one snapshot: serve one of each process.")
        first, second, *more = self._snapshots
        found = leakgraph.ranks(first, second, *more, min_bytes=min_bytes)
        answer = _rows(found, limit)
        answer["ranks"] = [_plain(rank) for rank in found.ranks[:MOST]]
        answer["repeated"] = [_plain(row) for row in found.repeated[:WIDE]]
        return answer

    def references(
        self,
        selector: str,
        direction: Literal["referrers", "referents"] = "referrers",
        limit: int = 20,
    ) -> Answer:
        """List what refers to an object, or what it refers to."""
        node = self._snap.select(selector)[0]
        edges: Edges = getattr(node, direction)()
        rows = [_step(edge) for edge in edges[: _most(limit)]]
        return {"object": _handle(node), **_limited(rows, len(edges))}


#: The type of an argument, by the type of the option.
_KINDS: dict[str, Any] = {
    "limit": int,
    "flag": bool,
    "mine": bool,
    "bytes": int,
    "objects": str,
    "cuts": list[str],
}
#: Rows by default: an agent reads all of them.
FEW = 10
#: The options of a tool that a question may lack.
_LIMIT = {
    "name": "limit",
    "type": "limit",
    "help": f"at most this many rows, or {MOST}",
}
#: Types of options that no tool has: those of files and of the command alone.
_NOT_FOR_TOOLS = ("baseline", "update", "check")
#: Defaults by the types of options that have another one than for the command.
_PRESETS = {
    "limit": FEW,
    "flag": False,
    "mine": False,
    "objects": Parameter.empty,
    "cuts": Parameter.empty,
}


def _parameter(option: dict[str, Any]) -> Parameter:
    """Return the parameter of a tool for an option of a question."""
    words = option.get("words")
    kind = _KINDS.get(option["type"], Optional[str])
    preset = _PRESETS.get(option["type"], option.get("preset"))
    if words and option["type"] == "set":
        kind = Optional[Literal[tuple(words)]]
    elif words:
        kind, preset = Literal[tuple(words)], words[0]
    return Parameter(
        option["name"], Parameter.KEYWORD_ONLY, default=preset, annotation=kind
    )


def _tool(snapshot: Snapshot, question: dict[str, Any]) -> Callable[..., Answer]:
    """Make the tool of a question: its options are those that the question takes."""
    options = [one for one in question["options"] if one["type"] not in _NOT_FOR_TOOLS]
    counted = any(
        (one["name"], one["type"]) == ("total", "count") for one in question["facts"]
    )
    limited = any(one["name"] == "limit" for one in options)
    tree = any(one["type"] == "objects" for one in options)
    if not limited:
        options = [_LIMIT, *options]

    def tool(limit: int = FEW, **given: Any) -> Answer:
        if limited:
            given["limit"] = _most(limit) if counted or tree else None
        found = getattr(snapshot, question["name"])(**given)
        facts = {one["name"]: getattr(found, one["name"]) for one in question["facts"]}
        plain = {name: _plain(fact) for name, fact in facts.items()}
        shown = MOST if tree else limit
        return {**_rows(found, shown, found.total if counted else None), **plain}

    lines = [f"{one['name']}: {one['help']}." for one in options]
    tool.__name__ = tool.__qualname__ = question["name"]
    tool.__doc__ = "\n".join([question["about"], "", *lines])
    parameters = [_parameter(option) for option in options]
    vars(tool)["__signature__"] = Signature(parameters, return_annotation=Answer)
    return tool


def serve(snapshots: list[Snapshot]) -> None:
    """Answer on standard input and output until the client ends.

    Raises ModuleNotFoundError without the package mcp, version 2 or newer.
    """
    module = need("mcp.server.mcpserver", "'mcp>=2'", "mcp")
    server = module.MCPServer("leakgraph", instructions=INSTRUCTIONS)
    error_type = need("mcp.server.mcpserver.exceptions", "'mcp>=2'", "mcp").ToolError
    tools = Tools(snapshots)
    for name in (*vars(Tools), *QUESTIONS):
        if not name.startswith("_"):
            server.tool()(_telling(getattr(tools, name), error_type))
    server.run("stdio")


def _telling(
    question: Callable[..., Answer], error_type: type[Exception]
) -> Callable[..., Answer]:
    """Return the same tool with errors that the agent can read."""

    @wraps(question)
    def tool(*args: Any, **options: Any) -> Answer:
        try:
            return question(*args, **options)
        except Error as error:
            raise error_type(str(error)) from None

    return tool


def _most(limit: int) -> int:
    return max(1, min(limit, MOST))


def _limited(rows: list[Any], count: int) -> Answer:
    """Return the rows, and a note about those that are left out."""
    answer: Answer = {"rows": rows}
    if count > len(rows):
        answer["left_out"] = f"{count - len(rows)} of {count} rows; limit shows more"
    return answer


def _rows(result: Result[Any], limit: int, total: int | None = None) -> Answer:
    """Return the first rows of a result as plain values, and how many rows it has."""
    rows = [
        {name: _plain(value) for name, value in zip(row._fields, row)}
        for row in result[: _most(limit)]
    ]
    return _limited(rows, len(result) if total is None else total)


def _handle(node: Node) -> Answer:
    return {"selector": f"#{node.index}", "name": _cut(node.label)}


def _step(edge: Edge) -> Answer:
    """Return a reference, and the object at its other end."""
    text = f"#{edge.source.index}->#{edge.target.index}"
    return {"label": edge.label, **_handle(edge.node), "cut": text}


def _path(steps: Any) -> list[Answer]:
    return [
        {
            "label": hop.label,
            **_handle(hop.target),
            "cut": f"#{hop.source.index}->#{hop.target.index}",
        }
        for hop in steps
    ][-WIDE:]


def _plain(value: object) -> Any:
    """Make a value for JSON: a Node is its selector, a Size has devices in use only."""
    if isinstance(value, Node):
        return f"#{value.index}"
    if isinstance(value, Size):
        return {name: size for name, size in value.items() if size} or {"host": 0}
    if isinstance(value, str):
        return _cut(value)
    if not isinstance(value, tuple):
        return value
    fields = getattr(value, "_fields", None)
    if fields:
        return {name: _plain(one) for name, one in zip(fields, value)}
    rest = [f"{len(value) - WIDE} more"] if len(value) > WIDE else []
    return [_plain(one) for one in value[:WIDE]] + rest


def _cut(text: str) -> str:
    if len(text) <= LONG:
        return text
    return f"{text[:LONG]}... ({len(text) - LONG} characters are left out)"
