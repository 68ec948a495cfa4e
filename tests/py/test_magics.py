"""The magics, in a shell of IPython."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

import leakgraph

pytestmark = [pytest.mark.libraries, pytest.mark.small]


@pytest.fixture(scope="module")
def shell() -> Iterator[Any]:
    shells = pytest.importorskip("IPython.core.interactiveshell")
    main = sys.modules["__main__"]
    made = shells.InteractiveShell()
    made.run_line_magic("load_ext", "leakgraph")
    made.user_ns["kept"] = {"books": [bytearray(1000)]}
    yield made
    made.reset()
    made.history_manager.end_session()
    made.restore_sys_module_state()
    sys.modules["__main__"] = main


def ask(shell: Any, line: str) -> Any:
    return shell.run_line_magic("leakgraph", line)


def test_threads_leave_out_those_of_the_kernel(shell: Any) -> None:
    own, every = ask(shell, "threads"), ask(shell, "threads --module *")
    assert len(own) < len(every)
    assert not any("run_line_magic" in str(row) for row in own)


def test_questions(shell: Any) -> None:
    cycles = ask(shell, "cycles --limit 2 --min-bytes=0 --kind held")
    assert isinstance(cycles, leakgraph.Cycles) and len(cycles) <= 2
    assert len(ask(shell, "top --limit 3 --mine")) <= 3
    assert len(ask(shell, "types --limit 4")) == 4
    assert isinstance(ask(shell, "memory"), leakgraph.Accounting)


def test_questions_about_an_object(shell: Any) -> None:
    why = ask(shell, "why kept['books'][0]")
    assert isinstance(why, leakgraph.Why) and "books" in str(why)
    drawing = ask(shell, "refs --max-depth 1 --title 'two words' kept")
    assert "books" in drawing.text and "two words" in drawing.dot
    assert ask(shell, "retained kept") == leakgraph.retained(shell.user_ns["kept"])
    assert isinstance(ask(shell, "paths --limit 2 kept"), leakgraph.MergedPaths)


def test_questions_about_words(shell: Any) -> None:
    assert "kept" in str(ask(shell, "search kept"))


def test_a_flag_takes_no_value(shell: Any) -> None:
    with pytest.raises(leakgraph.ArgumentError, match="--mine takes no value"):
        ask(shell, "top --mine=False")


def test_a_cell_is_compiled_as_its_own(shell: Any) -> None:
    with pytest.raises(NameError):
        shell.run_cell_magic("leakgraph", "", "def f(x: nowhere): pass")


def test_growth_of_a_cell(shell: Any) -> None:
    cell = "kept['books'] += [bytearray(50_000) for _ in range(20)]\n"
    growth = shell.run_cell_magic("leakgraph", "", cell)
    assert growth.snapshots == 2
    assert "kept" in str(growth) and growth[0].gained >= 1_000_000
    repeated = shell.run_cell_magic("leakgraph", "--rounds 2", cell)
    assert repeated.snapshots == 3 and "kept" in repeated[0].held_by
    assert len(shell.user_ns["kept"]["books"]) == 1 + 20 * 4
    with pytest.raises(ZeroDivisionError):
        shell.run_cell_magic("leakgraph", "", "1/0")


def test_what_it_refuses(shell: Any) -> None:
    for line, sentence in (
        ("tpo", "takes one of allocations, cycles"),
        ("cycles kept", "takes options only"),
        ("why", "needs an object"),
        ("top --limit", "--limit needs a value"),
    ):
        with pytest.raises(leakgraph.ArgumentError, match=sentence):
            ask(shell, line)


def test_an_empty_line_says_how_to_ask(shell: Any) -> None:
    usage = ask(shell, "")
    assert repr(usage).startswith("%leakgraph asks ") and repr(usage) == str(usage)
    assert "%leakgraph VERB" in repr(usage)
    assert max(map(len, repr(usage).splitlines())) <= 88


def test_why_has_no_holder_but_the_program(shell: Any) -> None:
    text = str(ask(shell, "why kept['books'][0]"))
    assert "tuple" not in text and "native code" not in text


def test_completion(shell: Any) -> None:
    _, matches = shell.complete("c", "%leakgraph c", 12)
    assert "cycles" in matches
