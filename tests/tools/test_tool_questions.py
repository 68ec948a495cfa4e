import json

import pytest
import questions

OPTION = {"name": "limit", "type": "limit", "preset": "20", "help": "at most"}
CHOICE = {
    "name": "group",
    "type": "choice",
    "words": ["object", "type"],
    "preset": None,
    "help": "what a row is",
}
QUESTION = {
    "name": "top",
    "title": "Top",
    "help": "find it",
    "about": "Lists it.",
    "order": "the biggest first",
    "example": None,
    "result": "Top",
    "row": "TopRow",
    "needs_analysis": True,
    "needs_contents": False,
    "needs_several": False,
    "options": [OPTION, CHOICE],
    "fields": [
        {"name": "count", "type": "count", "optional": False, "help": "how many"},
        {"name": "node", "type": "node", "optional": True, "help": "the object"},
    ],
    "facts": [{"name": "total", "type": "size", "optional": False, "help": "all"}],
}
PLACES = {
    "pyext/leakgraph/_core.pyi": ["functions", "methods", "results", "rows"],
    "docs/command.md": ["options of top"],
    "docs/python.md": ["answers"],
}


@pytest.fixture
def root(project, monkeypatch):
    for name, places in PLACES.items():
        mark = "# {}\n" if name.endswith("pyi") else "<!-- {} -->\n"
        marks = (
            mark.format(questions.BEGIN.format(what=what)) + mark.format(questions.END)
            for what in places
        )
        project.write(name, "import x\n\n" + "".join(marks))
    command = f"#!/bin/sh\necho '{json.dumps({'questions': [QUESTION]})}'\n"
    project.write("command", command)
    (project.root / "command").chmod(0o755)
    monkeypatch.setattr(questions, "ROOT", project.root)
    monkeypatch.setattr(questions, "formatted", lambda name, text: text)
    return project.root


def test_what_is_written_is_fine(root, capsys):
    command = str(root / "command")
    assert questions.main([command]) == 1
    assert "docs/python.md is not what the questions say" in capsys.readouterr().out
    assert questions.main([command, "--write"]) == 0
    assert questions.main([command]) == 0
    stub = (root / "pyext/leakgraph/_core.pyi").read_text("utf-8")
    assert "def top(\n    limit: _Limit = 20,\n    *,\n" in stub
    assert '    group: Literal["object", "type"] = "object",\n' in stub
    assert "def count(self) -> int: ...  # type: ignore[override]" in stub
    assert "def node(self) -> Node | None: ..." in stub
    assert "class Top(Result[TopRow]):" in stub


def test_an_edit_by_hand_is_found(root, capsys):
    command = str(root / "command")
    questions.main([command, "--write"])
    manual = root / "docs/command.md"
    manual.write_text(manual.read_text("utf-8").replace("what a row is", "rows"))
    assert questions.main([command]) == 1
    assert "docs/command.md" in capsys.readouterr().out


def test_a_section_that_is_missing_is_told(root, capsys):
    (root / "docs/command.md").write_text("nothing\n")
    assert questions.main([str(root / "command")]) == 1
    assert "there is no place for options of top" in capsys.readouterr().out


def test_a_signature_of_the_manual_has_presets_but_no_types():
    told = {
        "limit: int | None = 20": "limit=20",
        'by: Literal["a", "b"] = "a"': 'by="a"',
        "target: object": "target",
        "*": "*",
    }
    for parameter, short in told.items():
        assert questions.without_type(parameter) == short
