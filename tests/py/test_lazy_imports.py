"""Lazy imports of CPython 3.15: whoever looks at one does not load the module."""

import subprocess
import sys

import pytest

import leakgraph

pytestmark = pytest.mark.skipif(
    sys.version_info < (3, 15), reason="lazy imports are new in version 3.15"
)

#: A program whose namespace waits for modules that say so when they are loaded.
PROGRAM = """
import gc
lazy import heavy
lazy import package.part
lazy from heavy import tool, other as renamed
class Plan:
    pass
plan = Plan()
plan.parts = [Plan() for _ in range(100)]
"""
LOOK = """
import sys
import leakgraph
import leakgraph.objgraph
from program import plan
{look}
names = sys.modules["program"].__dict__
waiting = [name for name in names if type(names[name]).__name__ == "lazy_import"]
print(sorted(waiting), "heavy" in sys.modules, "package" in sys.modules)
"""
WAITING = "['heavy', 'package', 'renamed', 'tool'] False False\n"

LOOKS = {
    "snapshot": "leakgraph.snapshot(previews=True)",
    "a part": "leakgraph.snapshot(roots=[sys.modules['program']], max_depth=4)",
    "lists": "s = leakgraph.snapshot(); str(s.top()), str(s.types()), str(s.memory())",
    "why": "leakgraph.why(plan), leakgraph.snapshot().why('type:*.Plan')",
    "cycles": "str(leakgraph.cycles())",
    "pictures": "leakgraph.show_refs(sys.modules['program'], 'a.dot'),"
    " leakgraph.show_backrefs(plan, 'b.dot')",
    "report": "leakgraph.snapshot().report('report.html')",
    "names": "s = leakgraph.snapshot(); s.select('name:program.heavy'),"
    " s.select('name:program.tool')",
    "growth": "a = leakgraph.snapshot(); plan.parts.append([]);"
    " str(a.diff(leakgraph.snapshot()))",
    "objgraph": "leakgraph.objgraph.show_refs([sys.modules['program']],"
    " filename='c.dot'), leakgraph.objgraph.show_backrefs([plan], filename='d.dot')",
}


@pytest.fixture
def program(tmp_path):
    """Write the program and its modules; return a function that runs a look at it."""
    for name in ("heavy.py", "package/__init__.py", "package/part.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("raise SystemExit('loaded')\n")
    (tmp_path / "program.py").write_text(PROGRAM)

    def run(look):
        done = subprocess.run(
            [sys.executable, "-c", LOOK.format(look=look)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
        )
        return done.stdout[done.stdout.rfind("[") :] + done.stderr

    return run


@pytest.mark.parametrize("look", LOOKS)
def test_a_look_loads_nothing(program, look):
    assert program(LOOKS[look]) == WAITING


def test_a_use_loads(program):
    assert "loaded" in program("sys.modules['program'].heavy")


def test_it_is_shown_with_the_name_that_it_waits_for():
    names = {}
    exec(PROGRAM, names)
    snapshot = leakgraph.snapshot()
    shown = {
        label: (snapshot.find(thing).type_name, snapshot.find(thing).text)
        for label, thing in names.items()
        if type(thing).__name__ == "lazy_import"
    }
    assert shown == {
        "heavy": ("lazy_import", "heavy"),
        "package": ("lazy_import", "package.part"),
        "tool": ("lazy_import", "heavy.tool"),
        "renamed": ("lazy_import", "heavy.other"),
    }


def test_the_interpreter_keeps_the_set_of_lazy_modules():
    snapshot = leakgraph.snapshot()
    labels = {edge.label for edge in snapshot.find(sys.lazy_modules).referrers()}
    assert "lazy_modules" in str(labels)
    assert snapshot.find(sys.lazy_modules).unexplained == 0
