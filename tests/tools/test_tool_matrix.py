import dataclasses

import matrix
import pytest
import tsan

ROW = matrix.Row(
    cpython="3.12.1",
    place="Debian bookworm",
    method="internals",
    passed=900,
    failed=0,
    skipped=7,
    unexplained="0.13 %",
    with_figures="-",
    igraph="0.10.2",
    graphviz="2.42.2",
    date="2026-01-02",
)
PAGE = "# Page\n\n<!-- matrix -->\n" + matrix.HEAD + "<!-- end -->\n\nMore.\n"


def other(**changes):
    return dataclasses.replace(ROW, **changes)


def rows_in(page):
    return [line for line in page.splitlines() if line.startswith("| 3.")]


def test_rows_are_ordered_by_version():
    rows = [ROW, other(cpython="3.9.18"), other(cpython="3.12.1 free-threaded")]
    page = matrix.merged(PAGE, rows)
    assert [line.split(" | ")[0] for line in rows_in(page)] == [
        "| 3.9.18",
        "| 3.12.1",
        "| 3.12.1 free-threaded",
    ]
    assert page.startswith("# Page\n") and page.endswith("\n\nMore.\n")


def test_a_row_takes_the_place_of_that_of_the_same_interpreter_alone():
    page = matrix.merged(PAGE, [ROW, other(place="Debian sid")])
    page = matrix.merged(page, [other(passed=901, date="2026-02-03")])
    assert len(rows_in(page)) == 2
    assert [" 901 " in line for line in rows_in(page)] == [True, False]


def test_rows_that_were_not_tried_stay():
    page = matrix.merged(PAGE, [ROW])
    assert matrix.merged(page, []) == page


@pytest.mark.parametrize(
    "only, expected",
    [(None, True), (["3.14"], True), (["3.14.7t"], True), (["3.1"], False)],
)
def test_versions_may_be_asked_for(only, expected):
    one = matrix.pythons.Interpreter((3, 14, 7), True, "python")
    assert matrix.wanted(one, only) == expected


def test_a_page_without_a_table_is_refused():
    with pytest.raises(SystemExit, match="has no <!-- matrix -->"):
        matrix.merged("# Page\n", [ROW])


def test_the_page_has_the_columns_of_a_row():
    page = matrix.PAGE.read_text(encoding="utf-8")
    assert matrix.HEAD in page
    assert all(line.count("|") == ROW.line().count("|") for line in rows_in(page))


def test_the_sum_of_the_sources_is_that_of_what_is_built(monkeypatch, checkout):
    assert matrix.sources() == matrix.sources()
    monkeypatch.setenv("MATRIX_SOURCES", "known")
    assert matrix.sources() == "known"


def test_a_library_that_is_not_there_has_no_release():
    assert matrix.release("no-such-library") == "none"


REPORT = """\
==================
WARNING: ThreadSanitizer: data race (pid=7)
  Read of size 8 at 0x7b04 by thread T1:
    #0 {function} {file}+0x12)
SUMMARY: ThreadSanitizer: data race in {function}
==================
"""


def test_reports_are_read_and_divided(tmp_path):
    ours = REPORT.format(function="lg__walk_run", file="/x/walk.c:3 (_core.cpython.so")
    theirs = REPORT.format(function="list_append", file="/x/list.c:9 (python")
    (tmp_path / "log.7").write_text(ours + theirs)
    (tmp_path / "log.8").write_text(theirs)
    found = tsan.reports(tmp_path)
    assert len(found) == 3
    mine, others = tsan.divided(found)
    assert len(mine) == 1 and "lg__walk_run" in mine[0] and len(others) == 2
