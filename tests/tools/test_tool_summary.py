import pytest
import summary

CASES = """<testsuites><testsuite>
<testcase classname="a" name="fine"/>
<testcase classname="a" name="skipped"><skipped message="no"/></testcase>
{more}
</testsuite></testsuites>
"""


@pytest.fixture
def junit(tmp_path):
    def write(more=""):
        path = tmp_path / "junit.xml"
        path.write_text(CASES.format(more=more), encoding="utf-8")
        return str(path)

    return write


def test_cases_and_verbs_are_counted(junit, capsys):
    assert summary.main(["check=0", junit()]) == 0
    assert capsys.readouterr().out == "2 passed, 0 failed, 1 skipped\n"


@pytest.mark.parametrize("kind", ["failure", "error"])
def test_a_failed_case_fails(junit, capsys, kind):
    failed = f'<testcase classname="a" name="bad"><{kind}/></testcase>'
    assert summary.main(["check=0", junit(failed)]) == 1
    last = capsys.readouterr().out.splitlines()
    assert last == [
        "FAILED a::bad",
        "    in junit.xml",
        "2 passed, 1 failed, 1 skipped",
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("first\n\nlast", ["    first", "    last"]),
        (
            "def test():\n>   assert 1 == 2\nE   assert 1 == 2\na.py:3: AssertionError",
            ["    >   assert 1 == 2", "    E   assert 1 == 2"],
        ),
        ("\n".join(map(str, range(99))), [f"    {n}" for n in range(87, 99)]),
        ("x" * 999, ["    " + "x" * 200]),
    ],
)
def test_a_failed_case_says_why(junit, capsys, text, shown):
    told = f"<failure/><system-out>{text.replace('>', '&gt;')}</system-out>"
    failed = f'<testcase classname="a" name="bad">{told}</testcase>'
    assert summary.main([junit(failed)]) == 1
    assert capsys.readouterr().out.splitlines()[2:-1] == shown


def test_a_failed_verb_fails(junit, capsys):
    assert summary.main(["check=2", junit()]) == 1
    assert "FAILED make check" in capsys.readouterr().out


def test_results_that_were_not_written_fail(tmp_path):
    assert summary.main(["test=0", str(tmp_path / "none.xml")]) == 1


def test_nothing_at_all_fails(capsys):
    assert summary.main([]) == 1
    assert capsys.readouterr().out == "0 passed, 0 failed\n"
