from pathlib import Path

import mutants
import mutate
import pytest
import tracked
import workcopy

CODE = "enum { MANY = 3 };\nstatic int rows[] = {\n    MANY,\n    look,\n};\n"


@pytest.fixture
def root(project):
    project.write(".gitignore", "/build/\n/verdicts\n")
    project.write("a.c", CODE)
    project.write("tests/test_a.c", "")
    return project.root


def listed(root, line):
    return mutants.listed(root, f"# a comment\n\n{line}\n")


def test_the_permanent_mutants_fit_the_code():
    permanent = mutants.PERMANENT.read_text("utf-8")
    assert mutants.listed(tracked.ROOT, permanent)


def test_the_equivalent_mutants_fit_the_code():
    text = mutants.EQUIVALENT.read_text("utf-8")
    assert all(mutants.equivalent(tracked.ROOT, text).values())


def test_a_mutant_changes_its_line_only(root):
    (mutant,) = listed(root, "a.c :: MANY = 3 => MANY = 1 :: c.a c.b")
    assert (mutant.line, mutant.tests) == (1, ("c.a", "c.b"))
    assert mutant.applied(CODE) == CODE.replace("3", "1")


def test_a_mutant_may_span_lines(root):
    (mutant,) = listed(root, "a.c :: MANY, look => 0, look :: c.a")
    assert mutant.applied(CODE) == CODE.replace("    MANY,\n    look", "    0, look")


@pytest.mark.parametrize(
    "line",
    [
        "a.c :: MANY => FEW :: c.a",
        "a.c :: SOME => FEW :: c.a",
        "b.c :: MANY = 3 => FEW :: c.a",
        "a.c :: MANY = 3 :: c.a",
        "a.c :: MANY = 3 => FEW",
    ],
)
def test_a_line_that_does_not_fit_is_refused(root, line):
    with pytest.raises(mutants.Stale):
        listed(root, line)


@pytest.mark.parametrize("moved", ["lib/graph/other.h", "lib/paths/a.c"])
def test_a_mutant_survives_a_move(root, project, moved):
    project.write(moved, CODE)
    (mutant,) = listed(root, "lib/graph/a.c :: MANY = 3 => MANY = 1 :: c.a")
    assert (mutant.path, mutant.line) == (moved, 1)
    project.write("lib/graph/third.c", CODE)
    project.write("lib/graph/fourth.c", CODE)
    with pytest.raises(mutants.Stale, match=r"[23] times"):
        listed(root, "lib/graph/a.c :: MANY = 3 => MANY = 1 :: c.a")


def test_an_equivalent_mutant_has_a_reason_and_a_line(root):
    text = "a.c :: MANY, => 3, :: the same number"
    reasons = mutants.equivalent(root, text)
    mutant = mutants.Mutant("a.c", 3, "    MANY,", "    3,")
    assert mutants.reason_of(mutant, reasons) == "the same number"
    with pytest.raises(mutants.Stale):
        mutants.equivalent(root, text.replace("MANY", "SOME"))


def run_with(root, monkeypatch, judge, *lines):
    """Tries the permanent mutants of the lines; returns the exit status."""
    text = root / "mutants.txt"
    text.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    empty = root / "equivalent.txt"
    empty.write_text("", "utf-8")
    monkeypatch.setattr(mutants, "PERMANENT", text)
    monkeypatch.setattr(mutants, "EQUIVALENT", empty)
    monkeypatch.setattr(mutate, "judge", judge)
    monkeypatch.setattr(mutate.WorkCopy, "configure", lambda self: None)
    monkeypatch.setattr(mutate.os, "nice", lambda by: by)
    return mutate.main([], root)


@pytest.mark.parametrize(
    ("verdict", "status"),
    [
        ("killed", 0),
        ("survived", 1),
        ("does not compile", 1),
        ("has a test that fails anyway", 1),
    ],
)
def test_a_permanent_mutant_must_be_killed(root, monkeypatch, capsys, verdict, status):
    line = "a.c :: MANY = 3 => MANY = 1 :: c.a"
    judge = lambda copy, mutant: (verdict, "")  # noqa: E731
    assert run_with(root, monkeypatch, judge, line) == status
    assert ("not killed: a.c:1" in capsys.readouterr().out) == bool(status)
    assert (root / "build/mutate/tree/a.c").read_text("utf-8") == CODE


def test_permanent_mutants_are_tried_again_when_all_are_killed(root, monkeypatch):
    lines = ("a.c :: MANY = 3 => 1 :: c.a", "a.c :: look => 0 :: c.a")
    tried = []

    def judge(copy, mutant):
        tried.append(mutant.line)
        return ("survived" if mutant.line == alive else "killed"), ""

    alive = 4
    assert run_with(root, monkeypatch, judge, *lines) == 1
    assert sorted(tried) == [1, 4]
    alive = 0
    for seen in ([4], [1, 4]):
        tried.clear()
        assert run_with(root, monkeypatch, judge, *lines) == 0
        assert sorted(tried) == seen


@pytest.mark.parametrize(
    ("without", "verdict"), [(True, mutate.KILLED), (False, mutate.UNFIT)]
)
def test_what_kills_a_mutant_passes_without_it(root, monkeypatch, without, verdict):
    (mutant,) = listed(root, "a.c :: MANY = 3 => MANY = 1 :: c.a c.b")
    copy = mutate.WorkCopy(root, root)
    ran = []

    def test(tests):
        broken = (root / "a.c").read_text("utf-8") != CODE
        ran.append((tests, broken))
        passes = without and not broken
        return passes, "" if passes else "c.b"

    monkeypatch.setattr(copy, "build", lambda tests: (True, ""))
    monkeypatch.setattr(copy, "test", test)
    assert mutate.judge(copy, mutant) == (verdict, "c.b")
    assert ran == [(("c.a", "c.b"), True), (("c.b",), False)]


def test_a_sample_whose_tests_fail_anyway_is_no_success(root, monkeypatch, tmp_path):
    empty = tmp_path / "equivalent.txt"
    empty.write_text("", "utf-8")
    monkeypatch.setattr(mutants, "EQUIVALENT", empty)
    memory = mutate.Memory(root, tmp_path / "verdicts")
    run = mutate.Run([mutate.WorkCopy(root, root)], memory)
    mutant = mutants.Mutant("a.c", 3, "    MANY,", "    3,")
    run.count(mutant, mutate.UNFIT, "c.b", 1)
    memory.keep(mutant, mutate.UNFIT, "c.b")
    assert run.survivors == [mutant]
    assert mutate.Memory(root, tmp_path / "verdicts").recall(mutant) is None


def test_a_copy_follows_the_tree(root, project):
    copy = mutate.WorkCopy(root, root / "build/mutate/tree")
    copy.sync()
    (copy.place / "a.c").write_text("broken", "utf-8")
    (root / "tests/test_a.c").unlink()
    project.write("b.c", "int b;\n")
    copy.sync()
    found = [path.name for path in copy.place.rglob("*.c")]
    assert sorted(found) == ["a.c", "b.c"]
    assert (copy.place / "a.c").read_text("utf-8") == CODE


def test_a_survivor_is_tried_again_after_a_change_of_a_test(root, project):
    path = root / "verdicts"
    dead = mutants.Mutant("a.c", 1, "enum { MANY = 3 };", "enum { MANY = 1 };")
    alive = mutants.Mutant("a.c", 3, "    MANY,", "    2,")
    memory = mutate.Memory(root, path)
    memory.keep(dead, mutate.KILLED, "c.a")
    memory.keep(alive, mutate.SURVIVED, "")
    assert mutate.Memory(root, path).recall(alive) == (mutate.SURVIVED, "")
    project.write("tests/test_a.c", "int more;\n")
    assert mutate.Memory(root, path).recall(alive) is None
    assert mutate.Memory(root, path).recall(dead) == (mutate.KILLED, "c.a")
    project.write("a.c", CODE + "int more;\n")
    assert mutate.Memory(root, path).recall(dead) is None


def test_every_room_of_policies_has_mutants():
    assert all(list(tracked.ROOT.glob(pattern)) for pattern in mutate.NEAR)
    rooms = {Path(pattern).parent.name for pattern in mutate.NEAR}
    assert rooms >= {"answers", "cycles", "findings", "growth", "paths", "report"}
    assert rooms >= {"page", "pick", "pictures", "view", "write"}


def test_each_mutant_meets_tests():
    assert mutate.tests_of(mutants.Mutant("a.c", 1, "", "", ("c.a",))) == [("c.a",)]
    near, thorough = mutate.tests_of(mutants.Mutant("export/pick/a.c", 1, "", ""))
    assert near == mutate.NEAR["export/pick/*.c"]
    assert thorough == mutate.THOROUGH


@pytest.mark.parametrize(
    ("test", "targets"),
    [
        ("c.path", {"c_tests"}),
        ("export.view", {"export_tests"}),
        ("export.page.script", {"export_tests", "leakgraph_command"}),
        ("capture.address_map", {"capture_tests"}),
        ("cli.terminal", {"export_tests", "leakgraph_command"}),
        ("(c|export)\\..*", {"c_tests", "export_tests"}),
        ("-.*export.*", set()),
        ("tests/py/test_why.py", {"leakgraph_core", "leakgraph_command"}),
    ],
)
def test_what_a_test_runs_is_built(test, targets):
    assert workcopy.targets_of(test) == targets


def test_what_the_permanent_mutants_run_is_built():
    listed = mutants.listed(tracked.ROOT, mutants.PERMANENT.read_text("utf-8"))
    tests = {test for mutant in listed for test in mutant.tests}
    assert [test for test in tests if not workcopy.targets_of(test)] == []


def test_what_does_not_parse_is_no_mutant(root, project):
    project.write("good.py", "x = 1\n")
    project.write("bad.py", "x = = 1\n")
    copy = mutate.WorkCopy(root, root)
    assert [copy.compiles(f"{name}.py") for name in ("good", "bad")] == [True, False]
    assert copy.compiles("a.h")


def test_a_change_of_words_only_is_the_same(root, project):
    copy = mutate.WorkCopy(root, root)
    digests = []
    for doc, number in (("Do.", 1), ("Do not.", 1), ("Do.", 2)):
        code = f'def f():\n    """{doc}"""\n    return {number}\n'
        project.write("a.py", code)
        digests.append(copy.digest("a.py"))
    assert digests[0] == digests[1] != digests[2]
