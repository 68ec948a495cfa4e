"""What a program imports is no leak, however long that takes."""

import sys

import pytest
from test_watch import MEGABYTE, Program, Row, collected

from leakgraph.imports import FEW, SHARE, Imports
from leakgraph.sequence import ENOUGH

pytestmark = [pytest.mark.ends, pytest.mark.usefixtures(collected.__name__)]


def test_many_modules_at_once():
    seen = [1000]
    imports = Imports(lambda: seen[0])
    seen[0] = int(1000 * (1 + SHARE)) + FEW
    assert not imports.went_on()
    seen[0] += 1
    assert imports.went_on()
    assert not imports.went_on()
    seen[0] -= 500
    assert not imports.went_on()


def test_the_modules_of_this_process():
    imports = Imports()
    assert not imports.went_on()
    assert imports._known == len(sys.modules)


def test_snapshots_wait_until_imports_are_over():
    program = Program(lambda now: now * MEGABYTE, budget=1.0)
    for _ in range(100):
        program.modules += 20
        program.run(1)
    last = program.snapshots.taken[-1] if program.snapshots.taken else 0.0
    program.snapshots.rows = [Row("x")]
    program.run(40)
    assert len(program.snapshots.compared[0]) == ENOUGH
    assert program.snapshots.compared[0][0] > 100 > last
    assert "+" in program.watch.report()


def test_modules_without_end_are_growth():
    program = Program(lambda now: now * MEGABYTE, [Row("x")], budget=1.0)
    for _ in range(400):
        program.modules += 1
        program.run(1)
    assert program.snapshots.compared


def test_what_was_told_before_stays_told():
    program = Program(
        lambda now: now * MEGABYTE, [Row("x")], budget=1.0, on_leak=lambda *_: None
    )
    program.run(400)
    assert program.watch.leaks == ["x: Item accumulates"]
    program.modules += 1000
    program.snapshots.rows = []
    program.run(400)
    assert program.watch.leaks == []
    assert "x: Item grew by 1.00 MiB until" in program.watch.report()
