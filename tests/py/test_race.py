"""The race judges all tools by the same rules, and these rules can say no."""

import json
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[2]
RACE = ROOT / "bench/race"


@pytest.fixture(scope="module")
def race():
    """Import the race's modules, and leave no trace of them."""
    before, path = set(sys.modules), sys.path[:]
    sys.path[:0] = [str(RACE), str(ROOT / "tools")]
    try:
        import judge
        import kinds
        import page
        from rivals import leakgraph_repeat

        yield {
            "judge": judge,
            "kinds": kinds,
            "page": page,
            "leakgraph": leakgraph_repeat,
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
1 place grows: +653 KiB in 5 snapshots; rows explain 653 KiB of 653 KiB.

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
    assert json.dumps(score.kinds) == '{"containers": [true, false]}'


def test_a_part_of_a_page_is_replaced_alone(race, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("<!-- a -->\n<!-- end -->\nkept\n<!-- b -->\nold\n<!-- end -->\n")
    race["page"].put(page, "a", "new\n")
    race["page"].put(page, "a", "newer\n")
    assert page.read_text() == (
        "<!-- a -->\nnewer\n<!-- end -->\nkept\n<!-- b -->\nold\n<!-- end -->\n"
    )
