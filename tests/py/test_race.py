"""The race judges all tools by the same rules, and these rules can say no."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import types
from pathlib import Path
from unittest import mock

import pytest

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[2]
RACE = ROOT / "bench/race"
#: Nothing here runs the other tools; their adapters are only read.
OTHERS = ("guppy", "memory_profiler", "memray", "objgraph", "psutil", "pympler")


@pytest.fixture(scope="module")
def race():
    """Import the race's modules, and leave no trace of them."""
    before, path = set(sys.modules), sys.path[:]
    sys.path[:0] = [str(RACE), str(ROOT / "tools")]
    for other in OTHERS:
        sys.modules.setdefault(other, mock.MagicMock())
    try:
        import answer
        import drive
        import judge
        import kinds
        import page
        import run
        from rivals import leakgraph_allocations, leakgraph_attached, leakgraph_repeat

        yield {
            "answer": answer,
            "allocations": leakgraph_allocations,
            "drive": drive,
            "judge": judge,
            "kinds": kinds,
            "page": page,
            "run": run,
            "leakgraph": leakgraph_repeat,
            "attached": leakgraph_attached,
        }
    finally:
        sys.path[:] = path
        for name in set(sys.modules) - before:
            del sys.modules[name]


TRUTH = {
    "leaks": True,
    "path": "tests/reports/leaks/celery_4765.py",
    "native": False,
    "holders": ["__main__.backend._pending_messages[*]"],
    "per_call": 1000.0,
    "types": ["collections.deque", "builtins.str"],
    "sites": [21],
}


@pytest.mark.parametrize(
    ("entry", "named"),
    [
        ("in  __main__.backend._pending_messages[*]", True),
        ("Root['__main__'].__dict__['backend'].__dict__['x']", True),
        ("deque in a __main__.Backend", True),
        ("in  __main__.sessions[*]", False),
        ("in  __main__.all_pending_messages_of_others", False),
    ],
)
def test_holder(race, entry, named):
    assert race["judge"].names_holder(TRUTH, entry) is named


@pytest.mark.parametrize(
    ("entry", "named"),
    [("deque  129  +27", True), ("<class 'collections.deque'", True), ("str 5", False)],
)
def test_type_of_a_library_counts_before_builtin_ones(race, entry, named):
    assert race["judge"].names_type(TRUTH, entry) is named


def test_any_type_will_do_if_no_type_is_one_that_users_look_for(race):
    judge, truth = race["judge"], {"types": ["builtins.type", "weakref.ReferenceType"]}
    assert judge.names_type(truth, "type 27")
    assert judge.names_type(truth, "ReferenceType 27")
    assert not judge.names_type(truth, "dict 27")
    truth["types"].append("app.Order")
    assert judge.names_type(truth, "Order 27")
    assert not judge.names_type(truth, "type 27")


@pytest.mark.parametrize(
    ("entry", "named"),
    [
        ("/x/celery_4765.py:21: size=83.3 KiB", True),
        ('  File "/x/celery_4765.py", line 21', True),
        ("/x/celery_4765.py:22: size=83.3 KiB", False),
        ("/x/other.py:21: size=83.3 KiB", False),
    ],
)
def test_line(race, entry, named):
    assert race["judge"].names_line(TRUTH, entry) is named


def test_line_of_c_counts_for_its_whole_function(race):
    truth = {**TRUTH, "native": True}
    assert race["judge"].lines(truth) == [20, 21]


@pytest.mark.parametrize(
    ("sizes", "right"),
    [([1050.0], True), ([600.0, 420.0], True), ([1200.0], False), ([], False)],
)
def test_rate(race, sizes, right):
    assert race["judge"].verdicts(TRUTH, {"rate": sizes})["rate"] is right


@pytest.mark.parametrize(("size", "right"), [(1500.0, True), (1000.0, False)])
def test_an_attached_tool_tells_the_rate_of_its_own_calls(race, size, right):
    told = {"rate": [size], "per_call": 1500.0}
    assert race["judge"].verdicts(TRUTH, told)["rate"] is right


def test_a_table_that_grows_at_once_is_in_the_calls_that_make_it_grow(
    race, monkeypatch
):
    calls, rates = [], []
    monkeypatch.setattr(race["drive"], "accounted", lambda: None)
    monkeypatch.setattr(
        race["drive"].corpus, "_in_use", lambda: 8 * (128 if len(calls) > 85 else 64)
    )
    for first, last in [(0, 40), (40, 80), (80, 100)]:
        calls.clear()
        told = race["drive"].window(
            lambda: calls.append(1), calls.clear, "", str(first), str(last)
        )
        rates.append(told["per_call"])
    assert rates == [0, 8 * 64 / 40, 0]


def test_a_type_that_nobody_could_measure_has_no_verdict(race):
    truth = {**TRUTH, "types": []}
    assert race["judge"].verdicts(truth, {"type": ["ndarray"]})["type"] is None


def test_only_the_first_three_entries_count(race):
    told = {"holder": ["a", "b", "c", "backend"]}
    assert race["judge"].verdicts(TRUTH, told)["holder"] is False


def test_what_a_tool_does_not_claim_has_no_verdict(race):
    assert set(race["judge"].verdicts(TRUTH, {}).values()) == {None}


@pytest.mark.parametrize(
    ("accuses", "right"), [(True, False), (False, True), (None, None)]
)
def test_honest(race, accuses, right):
    truth = {**TRUTH, "leaks": False}
    assert race["judge"].verdicts(truth, {"accuses": accuses}) == {"honest": right}


GROWTH = """\
1 place grows: +653 KiB in 5 snapshots; rows explain all that objects gained.

      gained      per call  objects   what
     653 KiB     +6.05 KiB  20 → 128  tuple accumulates, such as #5522
                                          in  __main__.resize closure seen[*]

in all: objects +653 KiB

Types that grew the most:
      gained  objects   type
     633 KiB  20 → 128  bytearray.memory
    8.46 KiB  20 → 128  __main__.Image

Findings, cycles, tensors, figures and threads that grew:
"""


def test_leakgraph_names_places_and_then_types(race):
    answer = race["leakgraph"].read(GROWTH)
    assert len(answer.holder) == 1 and "resize closure seen" in answer.holder[0]
    assert [entry.split()[-1] for entry in answer.type[1:]] == [
        "bytearray.memory",
        "__main__.Image",
    ]
    assert answer.rate == [6.05 * 1024]


@pytest.mark.parametrize(
    ("headline", "accuses"),
    [
        ("1 place grows: +653 KiB in 5 snapshots", True),
        ("12 places grow: +653 KiB in 5 snapshots", True),
        ("1 place grew, and is idle now: +653 KiB in 5 snapshots", True),
        ("Nothing grows", False),
        ("Nothing grows without a limit; 1 place fills: +9 KiB in 5 snapshots", False),
        ("Nothing goes on growing; 1 place grew and stopped: +99 KiB", False),
        ("No place goes on growing; all objects together gained 117 KiB", False),
    ],
)
def test_leakgraph_accuses_where_places_grow(race, headline, accuses):
    assert race["leakgraph"].read(f"{headline}.\n\n").accuses is accuses


def test_each_leak_has_a_kind_and_each_kind_a_leak(race):
    homes = [ROOT / "tests/reports", RACE / "cases"]
    names = {path.stem for home in homes for path in home.glob("leaks/*.py")}
    assert names == set(race["kinds"].KINDS)


def test_a_failed_tool_is_wrong(race):
    truth = {**TRUTH, "kind": "containers", "bare": {"cpu": 1, "peak": 1, "seconds": 1}}
    told = {"site": ["celery_4765.py:21"], "cpu": 1, "peak": 1, "seconds": 1}
    tool = "tracemalloc_compare"
    results = [
        race["page"].Result("celery_4765", truth, {tool: told}),
        race["page"].Result("celery_4765", truth, {tool: {"failed": "too slow"}}),
    ]
    score = race["page"].score(tool, results)
    assert (score.right["site"], score.asked["site"]) == (1, 2)
    assert score.kinds["site"] == {"containers": [True, False]}


def test_a_part_of_a_page_is_replaced_alone(race, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("<!-- a -->\n<!-- end -->\nkept\n<!-- b -->\nold\n<!-- end -->\n")
    race["page"].put(page, "a", "new\n")
    race["page"].put(page, "a", "newer\n")
    assert page.read_text() == (
        "<!-- a -->\nnewer\n<!-- end -->\nkept\n<!-- b -->\nold\n<!-- end -->\n"
    )


@pytest.mark.parametrize(
    ("each", "left"),
    [
        (lambda number: number % 50, 0),
        (lambda number: min(number, 390), 0),
        (lambda number: 5000 * (number > 550), 0),
        (lambda number: number, 1),
        (lambda number: number % 50 + number // 50, 0.02),
    ],
    ids=["emptied", "filled", "enlarged", "leaks", "leaks below what is emptied"],
)
def test_honest_programs_have_a_bound(race, monkeypatch, each, left):
    calls = []
    monkeypatch.setattr(race["drive"], "accounted", lambda: None)
    monkeypatch.setattr(race["drive"].gc, "collect", lambda: None)
    monkeypatch.setattr(race["drive"].gc, "freeze", lambda: None)
    monkeypatch.setattr(race["drive"].corpus, "_in_use", lambda: each(len(calls)))
    found = race["drive"].bound(lambda: calls.append(1), calls.clear, "")
    assert found["per_call"] == pytest.approx(left, abs=0.01)


@pytest.mark.parametrize(("counted", "first"), [(4, 3), (6, 1)])
def test_only_snapshots_that_count_give_the_time(
    race, monkeypatch, tmp_path, counted, first
):
    for number in range(1, 7):
        (tmp_path / f"{number}.lgs").touch()
    monkeypatch.setattr(race["attached"], "taken", lambda file: float(file.stem))
    text = f"1 place grows: +31.0 MiB in {counted} snapshots; rows explain all.\n"
    assert race["attached"].looked(text, tmp_path) == (first, 6)


def scores(race):
    """Make a score of a tool of each group, as wide as scores get."""
    found = {"leakgraph attach": "holder", "memray attach": "site"}
    return [
        race["page"].Score(
            name,
            name,
            {finds: 71},
            {q: 71 * (q == finds) for q in race["judge"].QUESTIONS},
            {finds: {kind: [True] * 19 for kind in race["kinds"].ORDER}},
            12.34,
            1 << 20,
            1.0,
        )
        for name, finds in found.items()
    ]


@pytest.mark.parametrize("drawn", ["cost_picture", "kind_picture"])
def test_no_text_leaves_a_picture_or_lies_on_another(race, drawn):
    picture = getattr(race["page"], drawn)(scores(race))
    width = int(re.search(r'viewBox="0 0 (\d+)', picture)[1])
    texts = re.findall(r'<text x="(\d+)" y="(\d+)" ([^>]*)>([^<]*)</text>', picture)
    rows = {}
    for x, y, more, text in texts:
        size = int((re.search(r'font-size="(\d+)"', more) or [0, 12])[1])
        wide = 0.68 if "bold" in more else 0.6
        rows.setdefault(int(y), []).append((int(x), int(x) + wide * size * len(text)))
    for spans in rows.values():
        ends = [*(begin for begin, _ in sorted(spans)[1:]), width]
        assert all(end <= most for (_, end), most in zip(sorted(spans), ends))


def test_a_picture_has_colors_for_a_dark_page(race):
    style = race["page"].style()
    light, dark = style.split("prefers-color-scheme: dark")
    for name in race["page"].COLORS:
        assert f".{name} {{" in light and f".{name} {{" in dark


@pytest.mark.parametrize(
    ("tool", "effort"),
    [
        ("leakgraph_repeat", "2, 0"),
        ("leakgraph_allocations", "4, 0"),
        ("tracemalloc_compare", "6, 0"),
        ("leakgraph_attached", "0, 1"),
        ("memray_tracker", "2, 1"),
        ("memray_native", "2, 1"),
        ("objgraph_growth", "6, 0"),
        ("guppy_heapy", "6, 0"),
        ("pympler_tracker", "6, 0"),
    ],
)
def test_lines_of_a_user_are_counted(race, tool, effort):
    assert race["page"].effort(tool) == effort


ALLOCATIONS = """\
        size   objects  allocated at          held by
     322 KiB       216  /x/celery_4765.py:21  2 holders
     319 KiB       214                        __main__.backend._pending_messages[*]
    2.99 KiB         2                        __main__.backend
    2.95 KiB       108  /x/celery_4765.py:32  __main__.other

The lines are known of 345 KiB.
"""


def test_holders_of_a_line_continue_its_row(race):
    program = race["answer"].Program(print, Path(), race["answer"].Printed())
    answer = race["allocations"].read(program, ALLOCATIONS)
    assert [len(entry.splitlines()) for entry in answer.site] == [3, 1]
    assert answer.rate[0] == 322 * 1024 / program.total
    verdicts = race["judge"].verdicts(TRUTH, {"holder": answer.holder[:1]})
    assert verdicts["holder"] is True


def test_where_leakgraph_is_wrong_is_told(race):
    truth = {**TRUTH, "what": "A deque grows."}
    told = {"leakgraph_repeat": {"holder": ["other"], "rate": [1000.0]}}
    told["tracemalloc_compare"] = {"rate": [1000.0]}
    results = [race["page"].Result("celery_4765", truth, told)]
    text = race["page"].losses(results, list(told))
    assert text == "Where leakgraph is wrong:\n\n- leakgraph, holder: A deque grows\n"
    told["leakgraph_repeat"] = {"failed": "too slow"}
    assert "- leakgraph, all: A deque grows (too slow)" in race["page"].losses(
        results, list(told)
    )
    told["leakgraph_repeat"] = {"holder": ["backend"]}
    assert race["page"].losses(results, list(told)) == "leakgraph is wrong nowhere.\n"


def test_tools_that_have_seen_a_part_are_named(race):
    told = {"leakgraph_repeat": {}, "tracemalloc_compare": {}}
    results = [
        race["page"].Result("a", TRUTH, told),
        race["page"].Result("b", TRUTH, {"leakgraph_repeat": {}}),
    ]
    text = "Some tools have looked at a part of their programs: tracemalloc at 1 of 2. "
    assert race["page"].parts(results, list(told)) == text
    assert race["page"].parts(results[:1], list(told)) == ""
    honest = race["page"].Result("c", {"leaks": False}, {"leakgraph_repeat": {}})
    assert race["page"].parts([results[0], honest], list(told)) == ""


@pytest.mark.parametrize(
    ("tool", "leaks", "asked"),
    [
        ("tracemalloc_compare", True, True),
        ("tracemalloc_compare", False, False),
        ("pytest_memray_limit", False, True),
        ("memory_profiler_trend", True, True),
    ],
)
def test_a_tool_looks_only_at_programs_of_which_it_claims_something(
    race, tool, leaks, asked
):
    assert race["page"].asked(tool, leaks) is asked


def test_costs_are_of_programs_that_leak(race):
    """All tools look at these."""
    bare = {"cpu": 1, "peak": 1, "seconds": 1}
    costs = {"accuses": False, "cpu": 3, "peak": 5, "seconds": 2}
    honest = {"leaks": False, "kind": "honest", "bare": bare}
    tool = "objgraph_growth"
    results = [
        race["page"].Result("a", {**TRUTH, "kind": "x", "bare": bare}, {tool: costs}),
        race["page"].Result("b", honest, {tool: {**costs, "cpu": 9, "peak": 99}}),
    ]
    score = race["page"].score(tool, results)
    assert (score.cpu, score.peak, score.slower) == (2, 4, 2)
    assert (score.right["honest"], score.asked["honest"]) == (1, 1)


def test_an_adapter_has_fifty_lines_at_most(race):
    for tool in race["run"].TOOLS:
        text = (RACE / "rivals" / f"{tool}.py").read_text(encoding="utf-8")
        assert len(text.splitlines()) <= 50, tool


def test_a_program_answers_while_a_tool_is_attached_to_its_loop(tmp_path):
    """The loop is there before and after another verb's answer."""
    path = str(ROOT / "tests/reports/leaks/celery_4765.py")
    with subprocess.Popen(
        [sys.executable, str(RACE / "drive.py"), "serve", path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:

        def told(*words):
            line = json.dumps([words, str(tmp_path), str(tmp_path / "raw")])
            print(line, file=server.stdin, flush=True)
            return json.loads(server.stdout.readline())

        process = told("loop")["process"]
        assert told("bare")["code"] == 0
        assert "seconds" in json.loads((tmp_path / "answer.json").read_text())
        assert Path(f"/proc/{process}/stat").read_text().split()[2] != "Z"
        while not (tmp_path / "running").exists():
            pass
        os.kill(process, signal.SIGTERM)
        assert told("end", str(process))["code"] == 0
        assert "times" in json.loads((tmp_path / "answer.json").read_text())


def test_the_peak_of_an_attached_tool_is_not_that_of_the_race(tmp_path):
    """The parent of a process has had much more memory than the process."""
    code = "import drive; print(drive.peak())"
    parent = f"""
import subprocess, sys
large = bytearray(b"x") * (300 << 20)
subprocess.run([sys.executable, "-c", {code!r}], cwd={str(RACE)!r}, check=True)
"""
    told = subprocess.run(
        [sys.executable, "-c", parent], capture_output=True, text=True, check=True
    )
    assert 1 << 20 < int(told.stdout) < 200 << 20


def test_a_command_that_fails_is_told_with_what_it_printed(race, capfd):
    import typed

    with pytest.raises(subprocess.CalledProcessError):
        typed.typed(["sh", "-c", "echo said; exit 3"], os.getpid())
    assert capfd.readouterr().out.startswith("said")
    assert typed.typed(["echo", "said"], os.getpid()) == "said\n"


def test_a_command_that_hangs_is_ended(race):
    import typed

    with pytest.raises(subprocess.TimeoutExpired):
        typed.typed(["sleep", "3600"], os.getpid(), 0)


def test_an_attached_tool_looks_beside_the_others(race, monkeypatch):
    """Each waits for the other; the answers are in the order of the tools."""
    run, met = race["run"], threading.Barrier(2, timeout=60)
    monkeypatch.setattr(run, "kept", lambda server, tool, again: asked(tool))

    def asked(tool):
        if tool != "truth":
            met.wait()
        return {"tool": tool}

    server = types.SimpleNamespace(
        program=types.SimpleNamespace(path=Path("one.py"), leaks=True),
        close=lambda: None,
    )
    tools = ["memray_attached", "objgraph_growth"]
    told = run.ask_all(server, tools, False).told
    assert list(told.items()) == [(tool, {"tool": tool}) for tool in tools]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("", ["beta_cache", "cache", "far"]),
        ("cache", ["cache"]),
        ("far,cache", ["cache", "far"]),
        ("far cache", ["cache", "far"]),
        ("*cache, f?r,", ["beta_cache", "cache", "far"]),
    ],
)
def test_programs_are_chosen_by_names_and_patterns(race, asked, found):
    assert race["run"].chosen(["beta_cache", "cache", "far"], asked, "program") == found


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("cash", "no program is called cash; did you mean cache?"),
        ("cache,zzz*", "no program is called zzz*"),
    ],
)
def test_an_unknown_program_ends_the_race_with_a_sentence(race, asked, said):
    with pytest.raises(SystemExit, match=re.escape(said)):
        race["run"].chosen(["cache", "far"], asked, "program")


def test_a_part_of_a_tools_name_will_do(race):
    assert race["run"].tools_called("objgraph") == ["objgraph_growth"]
    assert len(race["run"].tools_called("leakgraph, memray")) == 7
    assert race["run"].tools_called("") == list(race["run"].TOOLS)


def programs_called(*names):
    return [types.SimpleNamespace(path=Path(f"{name}.py")) for name in names]


def test_programs_run_beside_each_other_and_are_told_in_order(race, monkeypatch):
    """Each waits for the other; the second is done first."""
    monkeypatch.setattr(race["run"], "line", lambda result: result.name)
    met, done = threading.Barrier(2, timeout=60), threading.Event()

    def ask(program):
        met.wait()
        if program.path.stem == "one":
            assert done.wait(60)
        done.set()
        return race["page"].Result(program.path.stem, {}, {})

    told = race["run"].beside(programs_called("one", "two"), 2, ask)
    assert [result.name for result in told] == ["one", "two"]


def test_a_program_without_an_answer_is_not_told(race):
    programs = programs_called("one", "two")
    assert list(race["run"].beside(programs, 2, lambda program: None)) == []


def test_what_is_asked_at_a_time_has_folders_of_its_own(race, monkeypatch, tmp_path):
    monkeypatch.setattr(race["run"], "BUILD", tmp_path)
    one, two = Path("one-objgraph.txt"), Path("one-truth.txt")
    mark = race["run"].fresh(one) / "mark"
    mark.touch()
    race["run"].fresh(two)
    assert mark.exists()
    race["run"].fresh(one)
    assert not mark.exists()
