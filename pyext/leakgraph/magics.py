"""Magics of IPython: `%load_ext leakgraph`, then `%leakgraph` and `%%leakgraph`."""

from __future__ import annotations

import shlex
from io import StringIO
from typing import Any

import leakgraph
from leakgraph._core import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["load_ipython_extension"]

#: Verbs without an object.
_QUESTIONS: dict[str, Callable[..., object]] = {
    "allocations": lambda **options: leakgraph.allocations(**options),
    "cycles": lambda **options: leakgraph.cycles(**options),
    "dominators": lambda **options: leakgraph.dominators(**options),
    "figures": lambda **options: leakgraph.figures(**options),
    "findings": lambda **options: leakgraph.findings(**options),
    "info": lambda **options: leakgraph.info(**options),
    "memory": lambda **options: leakgraph.memory(**options),
    "tensors": lambda **options: leakgraph.tensors(**options),
    "native": lambda **options: leakgraph.native(**options),
    # Not those of the kernel, unless a module is named.
    "threads": lambda **options: leakgraph.threads(
        **{"mine": "module" not in options, **options}
    ),
    "top": lambda **options: leakgraph.top(**options),
    "types": lambda **options: leakgraph.types(**options),
    "waste": lambda **options: leakgraph.waste(**options),
}
#: Verbs about an object, which an expression names.
_ABOUT: dict[str, Callable[..., object]] = {
    "path": lambda one, **options: leakgraph.show_path(one, **options),
    "paths": lambda one, **options: leakgraph.paths(one, **options),
    "referrers": lambda one, **options: leakgraph.show_backrefs(one, **options),
    "refs": lambda one, **options: leakgraph.show_refs(one, **options),
    "retained": lambda one, **options: leakgraph.retained(one, **options),
    "why": lambda one, **options: leakgraph.why(one, **options),
}
#: Verbs about the rest of the line.
_OF_TEXT: dict[str, Callable[[str], object]] = {
    "search": lambda words: leakgraph.search(words),
    "sql": lambda query: leakgraph.sql(query),
}
_VERBS = tuple(sorted({**_QUESTIONS, **_ABOUT, **_OF_TEXT}))
#: What an empty line shows.
_USAGE = """\
%leakgraph asks what keeps memory alive, and %%leakgraph what a cell lets grow.

%leakgraph                                what you read here
%leakgraph VERB [--OPTION VALUE ...]      allocations, cycles, dominators, figures,
                                          findings, info, memory, native, tensors,
                                          threads, top, types, waste
%leakgraph VERB [--OPTION VALUE ...] EXPRESSION
                                          path, paths, referrers, refs, retained, why
%leakgraph search WORDS                   the program's names that have these words
%leakgraph sql QUERY                      SQL over the heap; needs duckdb
%%leakgraph [--rounds N] [--calls N] [--min-bytes SIZE]
                                          what grows while the cell runs

Options are the arguments of the functions of these names. threads leaves out those of
the kernel: --module * shows all. A cell runs once between two snapshots, and with
--rounds again and again, which tells a leak from what is made once.
"""


def load_ipython_extension(shell: Any) -> None:
    """Register the magics with a shell of IPython."""

    def magic(line: str, cell: str | None = None) -> object:
        return _ask(shell, line) if cell is None else _grow(shell, line, cell)

    magic.__doc__ = _USAGE
    shell.register_magic_function(magic, "line_cell", "leakgraph")
    shell.set_hook("complete_command", _complete, str_key="%leakgraph")


class _Usage(str):
    """A text that a prompt shows as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _complete(shell: Any, event: Any) -> list[str]:
    """Return the verbs, for completion."""
    return list(_VERBS)


def _ask(shell: Any, line: str) -> object:
    """Return the answer to a line; to an empty one, how to ask."""
    if not line.strip():
        return _Usage(_USAGE)
    verb, _, rest = line.strip().partition(" ")
    if verb in _OF_TEXT:
        return _OF_TEXT[verb](rest)
    if verb in _QUESTIONS:
        options, expression = _options(rest)
        if expression:
            raise ArgumentError(f"%leakgraph {verb} takes options only.")
        return _QUESTIONS[verb](**options)
    if verb not in _ABOUT:
        raise ArgumentError(f"%leakgraph takes one of {', '.join(_VERBS)}.")
    options, expression = _options(rest)
    if not expression:
        raise ArgumentError(f"%leakgraph {verb} needs an object: name a variable.")
    return _ABOUT[verb](shell.ev(expression), **options)


def _grow(shell: Any, line: str, cell: str) -> object:
    """Run the cell and say what grows."""
    options, rest = _options(line)
    if rest:
        raise ArgumentError(f"%%leakgraph takes options only, not {rest}.")
    text = shell.transform_cell(cell)
    code = compile(text, "<cell of %%leakgraph>", "exec", dont_inherit=True)

    def work() -> None:
        exec(code, shell.user_ns)

    if "rounds" in options or "calls" in options:
        return leakgraph.repeat(work, **{"warmup": 1, "calls": 1, **options})
    with leakgraph.track(**options) as tracked:
        work()
    return tracked.growth


def _options(text: str) -> tuple[dict[str, Any], str]:
    """Return the options at the front, and the rest unchanged."""
    options: dict[str, Any] = {}
    rest = text.strip()
    while rest.startswith("--"):
        word, _, rest = rest.partition(" ")
        name, equals, value = word[2:].partition("=")
        rest = rest.strip()
        if not equals and rest and not rest.startswith("--") and not _is_flag(name):
            value, rest = _first(rest)
        options[name.replace("-", "_")] = _value(value, name)
    return options, rest


def _is_flag(name: str) -> bool:
    return name in ("mine", "libraries", "weak", "types", "settled")


def _first(text: str) -> tuple[str, str]:
    """Return the first word, in quotes or not, and the rest."""
    stream = StringIO(text)
    lexer = shlex.shlex(stream, posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.commenters = True, ""
    word = lexer.get_token() or ""
    return word, text[stream.tell() :].strip()


def _value(text: str, name: str) -> object:
    """Return a number, a truth value or a text; `all` is no limit."""
    if _is_flag(name):
        if text:
            raise ArgumentError(f"--{name} takes no value, not {text}.")
        return True
    if not text:
        raise ArgumentError(f"--{name} needs a value.")
    if text == "all":
        return None
    return int(text) if text.isdecimal() else text
