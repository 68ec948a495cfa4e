"""When a watch tells a place, and what it says of it later."""

import pytest
from test_watch import Growth, Row

from leakgraph.found import LATE, LEAST_SAID, MUCH, SHARE, SOON, Found
from leakgraph.leak_text import nothing
from leakgraph.sequence import ENOUGH

pytestmark = pytest.mark.ends

RESIDENT = 16 * MUCH


def seen(*rows, until, begin=0.0):
    found = Found()
    found.update(Growth(rows), [begin, (begin + until) / 2, until])
    return found


def names(places):
    return [place.row.held_by for place in places]


@pytest.mark.parametrize(
    ("gained", "resident", "after"),
    [
        (MUCH, RESIDENT, SOON),
        (MUCH - 1, RESIDENT, LATE),
        (MUCH, RESIDENT + 1 / SHARE, LATE),
        (2 * MUCH, 2 * RESIDENT, SOON),
        (1, 0, LATE),
    ],
)
def test_much_is_told_soon(gained, resident, after):
    row = Row("x", gained=gained)
    for begin in (0.0, 1000.0):
        early = seen(row, begin=begin, until=begin + after - 0.1)
        assert names(early.due(resident)) == []
        assert early and early.grows and early.leaks == []
        late = seen(row, begin=begin, until=begin + after)
        (place,) = late.due(resident)
        place.is_told = True
        assert late.due(resident) == []
        assert late.leaks == ["x: Item accumulates"]


@pytest.mark.parametrize(
    ("degree", "grows", "told"),
    [
        ("steady", True, True),
        ("in bursts", True, True),
        ("slowing", True, False),
        ("late", True, False),
        ("idle", False, False),
        ("filling", False, False),
        ("stopped", False, False),
    ],
)
def test_only_what_goes_on_is_told(degree, grows, told):
    found = seen(Row("x", degree, gained=MUCH), until=1000.0)
    assert found.grows is grows
    assert bool(found.due(0)) is told
    assert bool(found.last(0, ENOUGH)) is told


def test_a_part_is_told_with_the_place_that_took_its_bytes():
    found = Found()
    growth = Growth([Row("x", gained=MUCH - 1), Row("y", gained=2)])
    found.update(growth, [0.0, SOON])
    assert names(found.due(RESIDENT)) == []
    found.fold(growth, {"y": ("y: Pair accumulates with Item", MUCH + 1)})
    (place,) = found.due(RESIDENT)
    place.is_told = True
    assert found.leaks == ["y: Pair accumulates with Item"]
    assert found.last(RESIDENT, ENOUGH) == []
    assert found.lines(RESIDENT) == found.leaks
    assert found.has_joined
    found.update(Growth(growth), [0.0, LATE])
    assert found.has_joined
    assert found.leaks == ["y: Item accumulates"]
    assert found.last(RESIDENT, ENOUGH) == []
    found.fold(growth, {row.place: (row.text, row.gained) for row in growth})


def test_a_place_that_goes_on_alone_is_told():
    found = Found()
    growth = Growth([Row("x", gained=MUCH - 1), Row("y", gained=2), Row("z", gained=1)])
    found.update(growth, [0.0, SOON])
    leaks = {"y": ("y: Pair accumulates with Item", MUCH + 1), "z": ("z: z", 1)}
    found.fold(growth, leaks)
    for place in found.last(RESIDENT, ENOUGH):
        place.is_told = True
    found.update(Growth([Row("y", "stopped", gained=2)]), [0.0, LATE])
    assert "x: " not in "".join(found.lines(0))
    alone = Growth([Row("x", gained=MUCH), Row("y", "stopped", gained=2)])
    found.update(Growth([*alone, growth[2]]), [0.0, LATE])
    assert names(found.due(RESIDENT)) == names(found.last(RESIDENT, ENOUGH)) == ["x"]


def test_a_place_that_nobody_took_over_stays():
    found = Found()
    growth = Growth([Row("x", gained=MUCH), Row("y", gained=2)])
    found.update(growth, [0.0, SOON])
    found.fold(growth, {"y": ("y: Pair accumulates", MUCH + 1)})
    assert names(found.due(RESIDENT)) == ["x", "y"]


def test_only_the_places_of_that_comparison_become_one():
    found = Found()
    growth = Growth([Row("x", gained=MUCH), Row("y", gained=2)])
    found.update(growth, [0.0, SOON])
    found.fold(Growth(growth), {"y": ("y: Pair accumulates", MUCH + 2)})
    assert names(found.due(RESIDENT)) == ["x"]


@pytest.mark.parametrize(
    ("came_last", "ended", "seen"),
    [(True, True, False), (True, False, True), (False, True, True)],
)
def test_what_came_when_functions_ended_is_no_news(came_last, ended, seen):
    row = Row("x", gained=MUCH)
    row.came_last = came_last
    found = Found()
    found.update(Growth([row]), [0.0, 1.0, 2.0], ended=ended)
    assert bool(found) is seen
    assert bool(found.lines(0)) is seen


@pytest.mark.parametrize(
    ("before", "verdict", "named"),
    [(1, "accumulates", True), (0, "accumulates", False), (1, "native", False)],
)
def test_what_had_something_before_functions_ended_may_grow(before, verdict, named):
    row = Row("x", gained=MUCH)
    row.came_last, row.counts, row.verdict = True, (before, 2, 20), verdict
    found = Found()
    found.update(Growth([row]), [0.0, 1.0, 2.0], ended=True)
    assert not found
    assert (found.most is row) is named
    said = nothing(3, True, 0, True, found.most)
    assert (" x gained the most, 4.00 MiB, in the last interval: " in said) is named


def test_at_the_end_native_memory_keeps_its_holder():
    found = seen(Row("pool[*]", gained=MUCH), until=40.0)
    last = Row("memory that no object explains", gained=MUCH)
    last.place = "pool[*]"
    found.update(Growth([]), [0.0, 40.0])
    found.confirm(Growth([last]), [0.0, 40.0, 60.0])
    assert found.lines(0) == ["pool[*]: Item accumulates"]
    last.degree = "stopped"
    found.confirm(Growth([last]), [0.0, 40.0, 60.0])
    assert not found.grows


def test_what_is_small_beside_others_is_not_told():
    rows = [Row("big", gained=MUCH), Row("small", gained=1)]
    rows[1].minor = True
    found = seen(*rows, until=1000.0)
    assert names(found.due(0)) == names(found.last(0, ENOUGH)) == ["big"]
    assert found.lines(MUCH) == ["big: Item accumulates"]


@pytest.mark.parametrize(("gained", "told"), [(MUCH - 1, False), (MUCH, True)])
def test_a_little_native_memory_may_be_that_of_a_call(gained, told):
    row = Row("x", gained=gained)
    row.verdict = "native"
    found = seen(row, until=1000.0)
    assert found.grows
    assert bool(found.due(0)) is bool(found.last(0, ENOUGH)) is told
    assert bool(found.lines(RESIDENT)) is told


def test_at_the_end_few_snapshots_tell_what_gained_much():
    found = seen(Row("big", gained=MUCH), Row("small", gained=MUCH - 1), until=1.0)
    assert names(found.last(RESIDENT, ENOUGH)) == ["big", "small"]
    assert names(found.last(RESIDENT, ENOUGH - 1)) == ["big"]


def test_the_report_has_what_grows_what_was_told_and_what_has_much():
    rows = [
        Row("idle", "stopped", gained=MUCH),
        Row("grows", gained=1),
        Row("little", "stopped", gained=1),
        Row("slow", "slowing", gained=1),
        Row("fills", "filling", gained=MUCH),
    ]
    rows[0].idle = 1
    assert seen(*rows, until=40.0).lines(RESIDENT) == [
        "grows: Item accumulates",
        "idle: Item grew by 4.00 MiB until 20 s, and has not since",
        "fills: Item accumulates",
    ]


def test_the_report_accounts_for_what_all_objects_gained():
    rows = [Row("x", gained=3 * MUCH), Row("little", "stopped", gained=1)]
    rows.append(Row("y", gained=MUCH))
    rows[2].verdict = "native"
    growth = Growth(rows)
    growth.gained, growth.native_gained = 3 * MUCH, 2 * MUCH
    found = Found()
    found.update(growth, [0.0, 20.0, 40.0])
    assert found.lines(RESIDENT)[-1] == (
        "These places explain 16.0 MiB of the 20.0 MiB that all objects and memory of C"
        " code gained."
    )
    growth.pop()
    growth.gained, growth.native_gained = 4 * MUCH, 0
    found.update(growth, [0.0, 20.0, 40.0])
    assert found.lines(RESIDENT)[-1] == (
        "These places explain 12.0 MiB of the 16.0 MiB that all objects gained."
    )
    growth.gained = MUCH - 1
    found.update(growth, [0.0, 20.0, 40.0])
    assert len(found.lines(RESIDENT)) == 2


def test_what_was_told_is_corrected_and_taken_back():
    found = seen(Row("x", gained=MUCH), Row("untold", gained=1), until=40.0)
    (place,) = found.due(0)
    place.is_told = True
    corrected = Row("x", gained=MUCH)
    corrected.text = "x: at another rate"
    found.update(Growth([corrected]), [0.0, 40.0, 60.0])
    assert found.leaks == ["x: at another rate"]
    found.update(Growth([]), [0.0, 40.0, 60.0, 90.0])
    assert found.leaks == [] and not found.grows and found
    assert found.lines(0) == ["x: Item grew by 4.00 MiB until 60 s, and has not since"]
    found.update(Growth([corrected]), [0.0, 90.0, 100.0])
    assert found.leaks == ["x: at another rate"] and found.due(0) == []


@pytest.mark.parametrize(
    ("verdict", "unexplained", "since"),
    [
        ("native", MUCH + LEAST_SAID, "has gained 64.0 KiB since"),
        ("native", MUCH + LEAST_SAID - 1, "has not since"),
        ("native", None, "has not since"),
        ("accumulates", MUCH + LEAST_SAID, "has not since"),
    ],
)
def test_memory_that_no_object_explains_may_go_on_unevenly(verdict, unexplained, since):
    row = Row("x", gained=MUCH)
    row.verdict = verdict
    found = seen(row, until=40.0)
    later = Growth([])
    later.unexplained = unexplained
    found.update(later, [0.0, 40.0, 60.0])
    assert found.lines(0) == [f"x: Item grew by 4.00 MiB until 40 s, and {since}"]
    found.update(Growth([row]), [0.0, 60.0, 80.0])
    assert found.lines(0) == ["x: Item accumulates"]


def test_an_episode_refines_what_all_snapshots_say():
    found = seen(Row("x"), Row("burst"), until=40.0)
    better = Row("x")
    better.text = "x: at its own rate"
    found.refine(Growth([better]), [30.0, 40.0])
    assert found.lines(0) == ["x: at its own rate", "burst: Item accumulates"]


def test_what_was_not_told_is_forgotten():
    found = seen(Row("x", gained=MUCH), Row("y", gained=1), until=40.0)
    found.due(0)[0].is_told = True
    found.forget()
    assert found.lines(0) == ["x: Item accumulates"]
