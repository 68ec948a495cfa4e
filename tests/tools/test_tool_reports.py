"""The corpus of public reports judges answers as they deserve."""

import pytest
import reports
from reports import Line, Program, Row, Told

LEAK = Program(
    reports.HOME / "leaks/marshmallow_657.py",
    "A library registers each class.",
    "https://example.org/657",
    ("__main__.registry[*]", "thread "),
    ("per-call-classes",),
)
HONEST = Program(reports.HOME / "honest/lru_dict.py", "A cache has a limit.", "")


def objections(told, program=LEAK, form="", face="repeat", truth=1000.0):
    return reports.objections(program, form, face, told, truth)


def test_the_right_answer():
    first = Row(("__main__.other", "__main__.registry[*]"), 1090.0)
    assert objections(Told([first, Row(("__main__.small",), 40.0)])) == []
    assert objections(Told([Row(("thread 12 (run)",), 950.0)])) == []
    assert objections(Told(patterns=["per-call-classes"]), face="findings") == []
    assert objections(Told(), form="fixed") == objections(Told(), HONEST) == []


def test_wrong_answers():
    right = Row(("__main__.registry[*]",), 1000.0)
    assert objections(Told()) == ["no row"]
    assert objections(Told([Row(("Queue",), 1000.0)])) == ["first row: Queue"]
    slow = Row(right.holders, 890.0)
    assert objections(Told([slow])) == ["890 B per call instead of 1,000"]
    assert objections(Told([slow]), face="watch") == []
    companion = Row(("__main__.small",), 60.0)
    assert objections(Told([right, companion])) == ["1 more rows"]
    assert objections(Told(), face="findings") == ["no finding of per-call-classes"]


def test_false_alarms():
    row = Told([Row(("__main__.cache",), 10.0)])
    assert objections(row, form="fixed") == ["a false row: __main__.cache"]
    assert objections(row, HONEST) == ["a false row: __main__.cache"]
    finding = Told(patterns=["lru-cache"])
    assert objections(finding, HONEST, face="findings") == [
        "a false finding: lru-cache"
    ]


def test_rows_of_faces():
    row = {
        "verdict": "accumulates",
        "held_by": "a",
        "other_holders": ["b"],
        "per_interval": 50.0,
    }
    settled = {**row, "verdict": "settled"}
    assert reports.rows_of({"rows": [row, settled]}, 25) == [Row(("a", "b"), 2.0)]
    line = (
        "leakgraph: __main__.held[*]: bytearray accumulates, 372 → 472 → 622 objects, "
        "+1.56 MiB in all, +245 KiB per second"
    )
    match = reports.TOLD.search(line)
    slow, fast = [0.0, 1.0, 2.0], [3 + call / 49 for call in range(490)]
    told = reports.told_row(match, slow + fast)
    assert told.holders == ("__main__.held[*]",)
    assert told.per_call == pytest.approx(5120, rel=0.01)


def test_each_program_says_what_it_is():
    for program in reports.programs():
        assert program.what.endswith("."), program.path
        assert program.leaks == bool(program.holders), program.path
        assert program.leaks == program.reference.startswith("https://"), program.path


def test_a_program_that_keeps_nothing_is_no_leak():
    [honest] = reports.programs(["batched_writer"])
    assert reports.measured(honest) <= reports.LEFT
    [leak] = reports.programs(["celery_4765"])
    assert reports.measured(leak) > 1000
    assert (
        reports.objections(
            leak, "", "repeat", reports.by_repeat(leak, "", 0), reports.measured(leak)
        )
        == []
    )


def test_the_table():
    lines = [
        Line(LEAK, 1000.0, {"repeat": [], "findings": ["no row"]}),
        Line(HONEST, 0.0, {"repeat": [], "findings": []}),
    ]
    assert reports.table(lines, ["repeat", "findings"]) == (
        "| program | report | B per call | repeat | findings |\n"
        "| --- | --- | ---: | --- | --- |\n"
        "| A library registers each class. | [report](https://example.org/657) "
        "| 1,000 | right | no row |\n"
        "| A cache has a limit. | honest | 0 | right | right |\n"
        "\nrepeat: 2 of 2 right.\n"
        "\nfindings: 1 of 2 right.\n"
    )
