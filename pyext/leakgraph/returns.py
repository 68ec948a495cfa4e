"""Calls hooks when a function of a script is about to return.

The function's body becomes the `try` of a `finally` that calls returned(): its
variables are still there then, also when an exception leaves it. Lines keep their
numbers, and the script gets no variable: the call imports what it needs.
"""

from __future__ import annotations

import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Union

    _Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]

__all__ = ["hook_returns", "returned", "when_returned"]

_CALL = "__import__('leakgraph.returns', None, None, ('returned',)).returned()"
_hooks: list[Callable[[], None]] = []


def when_returned(hook: Callable[[], None]) -> None:
    """Call `hook` whenever the function is about to return."""
    _hooks.append(hook)


def returned() -> None:
    """Call the hooks."""
    for hook in _hooks:
        hook()


def hook_returns(source: bytes | str, file: str, name: str) -> ast.Module:
    """Parse the script and let its function `name`, or `Class.name`, call returned().

    Raises LookupError if the script defines no such function, and SyntaxError.
    """
    tree = ast.parse(source, file)
    function = _find(tree.body, name.split("."))
    if function is None:
        raise LookupError(name)
    begin = 0 if ast.get_docstring(function, clean=False) is None else 1
    end = function.body[-1]
    call = ast.Expr(ast.parse(_CALL, mode="eval").body)
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
