"""Judges the answers of all tools by the same rules.

Only the first three entries of an answer count. An entry names

* the holder, if it has the last name of the holder's path as a word, or all the names
  before it: `_pending_messages`, or `backend`, for the path
  `__main__.backend._pending_messages`; case does not count, so that the class
  `Backend` will do
* the type, if it has a type of the program, or of a library, of which each call leaves
  one; any type that each call leaves, if all of them are builtin or those that users
  pass over, such as weak references
* the line, if it names a line that allocates a tenth of what letting go frees, or, of a
  program that allocates in C, a line of the same function

A rate is right if one of the three sizes, or the sum of all, is within a tenth of the
truth, which is that of the calls that an attached tool has looked at. An honest program
is left alone if the tool does not say that it leaks. What a tool does not claim has no
verdict.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

from answer import COMMON

ROOT = Path(__file__).resolve().parents[2]
FIRST = 3
CLOSE = 0.10
QUESTIONS = ("holder", "type", "site", "rate", "honest")
#: What leakgraph calls parts that have no name in the program's source.
UNNAMED = {"__main__", "cache", "key", "interpreter", "state", "closure", "__closure__"}
UNNAMED |= {"__defaults__", "__cause__", "grad_fn"}
#: Other names of a holder that has none in the program.
ALSO = {"atexit": "atexit", "after_forkers_child": "register_at_fork"}
WORD = re.compile(r"[A-Za-z_]\w*")


def verdicts(truth: dict[str, Any], told: dict[str, Any]) -> dict[str, bool | None]:
    """Judge a tool's answer to each question; None where there is nothing to judge."""
    if not truth["leaks"]:
        accuses = told.get("accuses")
        return {"honest": None if accuses is None else not accuses}
    types = told.get("type") if truth["types"] else None
    return {
        "holder": _judged(told.get("holder"), lambda each: names_holder(truth, each)),
        "type": _judged(types, lambda each: names_type(truth, each)),
        "site": _judged(told.get("site"), lambda each: names_line(truth, each)),
        "rate": _rate(told.get("per_call", truth["per_call"]), told.get("rate")),
    }


def _judged(entries: list[str] | None, right: Any) -> bool | None:
    if entries is None:
        return None
    return any(right(entry) for entry in entries[:FIRST])


def names_holder(truth: dict[str, Any], entry: str) -> bool:
    """Tell whether an entry names a holder of the program."""
    words = set(WORD.findall(entry.lower()))
    for holder in truth["holders"]:
        if holder == "thread ":
            if "thread" in entry.lower():
                return True
            continue
        names = [name.lower() for name in WORD.findall(holder) if name not in UNNAMED]
        also = {ALSO[name] for name in names if name in ALSO}
        if not names:
            continue
        if names[-1] in words or also & words:
            return True
        if names[:-1] and words.issuperset(names[:-1]):
            return True
    return False


def names_type(truth: dict[str, Any], entry: str) -> bool:
    """Tell whether an entry names a type that each call leaves."""
    own = {_last(name) for name in truth["types"] if not name.startswith("builtins.")}
    counted = own if own - COMMON else set(map(_last, truth["types"]))
    return not counted.isdisjoint(WORD.findall(entry))


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def names_line(truth: dict[str, Any], entry: str) -> bool:
    """Tell whether an entry names an allocating line."""
    file = re.escape(Path(truth["path"]).name)
    found = re.findall(file + r'"?[:,]? ?(?:line )?(\d+)', entry)
    return bool({int(line) for line in found} & set(lines(truth)))


def lines(truth: dict[str, Any]) -> list[int]:
    """List the lines that count as allocating."""
    if not truth["native"]:
        return list(truth["sites"])
    tree = ast.parse((ROOT / truth["path"]).read_text(encoding="utf-8"))
    functions = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]
    return [
        line
        for each in functions
        if (not truth["sites"] and each.name == "work") or _holds(each, truth["sites"])
        for line in range(each.lineno, (each.end_lineno or each.lineno) + 1)
    ]


def _holds(function: ast.FunctionDef, sites: list[int]) -> bool:
    end = function.end_lineno or function.lineno
    return any(function.lineno <= line <= end for line in sites)


def _rate(per_call: float, sizes: list[float] | None) -> bool | None:
    if sizes is None:
        return None
    told = [*sizes[:FIRST], sum(size for size in sizes if size > 0)]
    return any(abs(size - per_call) <= CLOSE * per_call for size in told)
