"""Calls a hook when a function of a script is about to return.

The function's body becomes the `try` of a `finally` that calls the hook: its variables
are still there then, also when an exception leaves it. Lines keep their numbers.
"""

from __future__ import annotations

import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Union

    _Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]

__all__ = ["HOOK", "hook_returns"]

#: The global variable of the script that is called.
HOOK = "__leakgraph_save__"


def hook_returns(source: bytes | str, file: str, name: str) -> ast.Module:
    """Parse the script; its function `name`, or `Class.name`, calls HOOK() in the end.

    Raises LookupError if the script defines no such function, and SyntaxError.
    """
    tree = ast.parse(source, file)
    function = _find(tree.body, name.split("."))
    if function is None:
        raise LookupError(name)
    begin = 0 if ast.get_docstring(function, clean=False) is None else 1
    end = function.body[-1]
    call = ast.Expr(ast.Call(ast.Name(HOOK, ast.Load()), [], []))
    for node in ast.walk(call):
        if isinstance(node, (ast.expr, ast.stmt)):
            node.lineno = node.end_lineno = end.end_lineno or end.lineno
            node.col_offset = node.end_col_offset = 0
    whole = ast.Try(function.body[begin:] or [ast.Pass()], [], [], [call])
    function.body[begin:] = [ast.fix_missing_locations(ast.copy_location(whole, end))]
    return tree


def _find(body: list[ast.stmt], names: list[str]) -> _Function | None:
    """Return the last function or method of that name, which is the one that stays."""
    for statement in reversed(body):
        if getattr(statement, "name", None) != names[0]:
            continue
        if isinstance(statement, ast.ClassDef) and len(names) > 1:
            return _find(statement.body, names[1:])
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return statement if len(names) == 1 else None
        return None
    return None
