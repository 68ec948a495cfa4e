"""Real load is bursty: what rose, paused and never fell is told, with a degree."""

import functools
import gc
import itertools
import re
import threading
import types
import weakref

import pytest

import leakgraph

pytestmark = [pytest.mark.ends, pytest.mark.small]

#: By name: how many records a list gains before each of six snapshots, and its degree.
LISTS = {
    "steady": ([9, 9, 9, 9, 9, 9], "steady"),
    "slowing": ([50, 30, 20, 8, 6, 3], "slowing"),
    "in_bursts": ([20, 10, 0, 10, 0, 10], "in bursts"),
    "late": ([20, 0, 0, 0, 0, 10], "late"),
    "idle": ([9, 9, 0, 9, 9, 0], "idle"),
    "idle_for_long": ([9, 9, 0, 9, 0, 0], "idle"),
    "filled_a_ring": ([9, 18, 0, 0, 0, 0], None),
    "came_at_once": ([0, 0, 30, 0, 0, 0], None),
    "came_at_last": ([0, 0, 0, 0, 0, 30], None),
    "fell": ([9, 30, 0, -8, 9, 9], None),
}
#: The same for three snapshots.
FEW = {
    "slowing": ([10, 20, 5], "slowing"),
    "late": ([10, 0, 10], "late"),
    "idle": ([10, 10, 0], "idle"),
    "came_at_once": ([0, 20, 0], None),
    "small": ([1, 2, 0], None),
}
program = types.SimpleNamespace()


@pytest.fixture(autouse=True)
def fresh():
    yield
    program.__dict__.clear()


def change(held, step):
    """Let a list gain or lose so many records."""
    del held[len(held) + min(step, 0) :]
    for _ in range(step):
        held.append(bytes(9000 + len(held)))


def follow(lists):
    """Take a snapshot after each step of all lists."""
    for name in lists:
        setattr(program, name, [])
    snapshots = []
    for step in range(len(next(iter(lists.values()))[0])):
        for name, (steps, _) in lists.items():
            change(getattr(program, name), steps[step])
        snapshots.append(leakgraph.snapshot())
    return snapshots


def rows_of(growth):
    """The rows about the lists, by name."""
    return {
        row.held_by.split("program.")[1].split("[")[0]: row
        for row in growth
        if "program." in row.held_by
    }


@pytest.mark.parametrize("lists", [LISTS, FEW])
def test_what_pauses_is_told_with_a_degree(lists):
    growth = leakgraph.diff(*follow(lists))
    rows = rows_of(growth)
    assert {name: row.degree for name, row in rows.items()} == {
        name: degree for name, (_, degree) in lists.items() if degree
    }
    assert {row.verdict for row in rows.values()} == {"accumulates"}
    assert "accumulates, idle in the last interval" in rows["idle"].text
    assert "accumulates, only in the last interval" in rows["late"].text
    assert growth.is_growing
    assert rows["late"].per_interval == pytest.approx(
        rows["late"].gained / (growth.snapshots - 1)
    )


def test_the_first_line_accounts_for_the_gain():
    growth = leakgraph.diff(*follow(FEW))
    first, second, *_ = str(growth).splitlines()
    assert first.startswith("2 places grow: +")
    assert "; rows explain " in first
    assert second == ""
    sizes = sum(row.gained for row in growth)
    assert growth.explained == pytest.approx(sizes, rel=0.01)
    came = 20 * 9000
    assert growth.gained == pytest.approx(sizes + came + 2 * 9000, rel=0.1)


def test_nothing_grows_is_not_said_of_what_stays():
    snapshots = follow({"came": ([9, 20, 0, 0], None)})
    growth = leakgraph.diff(*snapshots)
    assert not rows_of(growth)
    assert not growth.is_growing
    assert "Nothing grows" not in str(growth)
    assert str(growth).startswith("Nothing goes on growing; 1 place grew and stopped")
    assert "program.came[*]: bytes settled" in str(growth)
    idle = leakgraph.diff(*snapshots[:3])
    assert not idle.is_growing
    assert str(idle).startswith("1 place grew, and is idle now: +")


@pytest.mark.parametrize("step", [20, 60])
def test_what_a_tee_keeps_for_its_slow_iterator_is_told(step):
    ahead, program.behind = itertools.tee(
        [bytes(2000 + number)] for number in itertools.count()
    )
    snapshots = []
    for _ in range(5):
        for _ in range(step):
            next(ahead)
        snapshots.append(leakgraph.snapshot())
    growth = leakgraph.diff(*snapshots)
    (row,) = rows_of(growth).values()
    assert (row.verdict, row.degree, row.type) == ("accumulates", "steady", "list")
    assert ": list accumulates, " in row.text
    assert re.fullmatch(rf"{__name__}\.program\.behind data( next)*\[\*\]", row.held_by)
    assert row.per_interval == pytest.approx(step * 2300, rel=0.2)
    assert f"empty {__name__}.program.behind" in str(growth)
    assert row.fix.startswith("itertools.tee() keeps what one of its iterators")


def test_what_is_kept_in_blocks_is_no_denied_growth():
    program.ahead, program.behind = itertools.tee(
        bytes(2000 + step) for step in itertools.count()
    )
    snapshots = []
    for _ in range(3):
        for _ in range(30):
            next(program.ahead)
        snapshots.append(leakgraph.snapshot())
    first = str(leakgraph.diff(*snapshots)).splitlines()[0]
    assert first.startswith("No place goes on growing")
    assert "of type bytes, which become more" in first


def test_what_moves_from_one_container_to_another_is_told_once():
    program.fresh, program.merged = [], []
    snapshots = []
    for number in range(7):
        program.fresh += [{1: bytes(3000 + n)} for n in range(10 + number % 2)]
        if number % 3 == 2:
            program.merged.append(tuple(program.fresh))
            program.fresh.clear()
        snapshots.append(leakgraph.snapshot())
    growth = leakgraph.diff(*snapshots)
    (row,) = rows_of(growth).values()
    assert row.type == "dict"
    assert row.held_by == f"{__name__}.program.merged[*][*]"
    assert row.per_interval == pytest.approx(10 * 3300, rel=0.1)


def test_caches_that_fill_one_after_the_other_do_not_grow():
    snapshots = []
    for name in ("users", "items", "prices", "orders", "pages"):
        setattr(program, name, [bytes(2000 + number) for number in range(200)])
        snapshots.append(leakgraph.snapshot())
    growth = leakgraph.diff(*snapshots)
    assert rows_of(growth) == {}
    assert str(growth).startswith("No place goes on growing")


def test_a_container_that_grows_is_told_though_what_it_holds_seems_to_move():
    program.sessions, program.buffer = [], []
    snapshots = []
    for held, waiting in ((3, 400), (797, 3), (100, 1100), (1300, 300), (10, 1990)):
        program.sessions += [[bytearray(300)] for _ in range(100)]
        values = [bytes(4000 + number) for number in range(held)]
        for number, session in enumerate(program.sessions):
            session[1:] = values[number :: len(program.sessions)]
        del values
        program.buffer[:] = [bytes(4000 + number) for number in range(waiting)]
        snapshots.append(leakgraph.snapshot())
    (row,) = rows_of(leakgraph.diff(*snapshots)).values()
    assert row.held_by == f"{__name__}.program.sessions[*]"


class Ring:
    def __init__(self, number):
        self.ring, self.data = self, bytes(2000 + number)


def test_garbage_that_comes_and_goes_does_not_grow():
    snapshots = []
    gc.disable()
    try:
        for held, dropped in ((400, 3), (3, 597), (300, 500), (50, 950), (700, 500)):
            program.rings = [Ring(number) for number in range(held)]
            gc.collect()
            for number in range(dropped):
                Ring(number)
            snapshots.append(leakgraph.snapshot())
    finally:
        gc.enable()
        gc.collect()
    rows = leakgraph.diff(*snapshots)
    assert [row for row in rows if row.type == f"{__name__}.Ring"] == []
    assert str(rows).startswith("No place goes on growing")


def test_what_comes_and_goes_in_two_containers_does_not_grow():
    program.first, program.second = [], []
    snapshots = []
    for number in range(6):
        for held, count in ((program.first, number), (program.second, 5 - number)):
            held[:] = [bytes(9000 + n) for n in range(10 * count)]
        snapshots.append(leakgraph.snapshot())
    assert set(rows_of(leakgraph.diff(*snapshots))) <= {"first"}


def test_what_is_full_does_not_become_more():
    filled = functools.lru_cache(maxsize=40)(bytes)
    program.filled = filled
    snapshots = []
    for step in range(5):
        for size in range(20):
            filled(1000 + 20 * step + size)
        snapshots.append(leakgraph.snapshot())
    assert "become more" not in str(leakgraph.diff(*snapshots))


def test_a_settled_row_counts_its_bytes_once():
    snapshots = follow({"came": ([9, 20, 0, 0], None)})
    growth = leakgraph.diff(*snapshots, settled=True)
    row = rows_of(growth)["came"]
    retained = [each.retained(program.came).total for each in snapshots[-1:]]
    assert row.verdict == "settled"
    assert row.degree == "stopped"
    assert row.bytes[-1].total == pytest.approx(retained[0], rel=0.05)
    assert row.gained == pytest.approx(20 * 9000, rel=0.02)


def test_what_several_hold_is_named_by_the_container_with_the_most():
    program.others = [[bytes(200 + n) for n in range(40)] for _ in range(9)]
    program.again = list(program.others)
    program.came = []
    program.index = (program.came,)
    snapshots = []
    for step in (9, 20, 0, 0):
        change(program.came, step)
        snapshots.append(leakgraph.snapshot())
    growth = leakgraph.diff(*snapshots)
    assert "program.came[*]: bytes settled" in str(growth)
    again = leakgraph.diff(*snapshots, settled=True)
    assert [row.held_by for row in again if row.gained > 100_000] == [
        f"{__name__}.program.came[*]"
    ]


class Job:
    def __init__(self):
        self.data = bytes(1000)


@pytest.mark.parametrize(("threads", "rows"), [(5, 1), (0, 2)])
def test_a_snapshot_in_the_middle_of_requests_lacks_some_companions(threads, rows):
    program.jobs, program.known = [], {}
    leave = threading.Event()
    workers = [threading.Thread(target=leave.wait) for _ in range(threads)]
    for each in workers:
        each.start()
    snapshots = []
    for late in (0, 5, 0):
        program.jobs += [Job() for _ in range(100)]
        for job in program.jobs[len(program.known) : len(program.jobs) - late]:
            program.known[len(program.known)] = weakref.ref(job)
        del job
        snapshots.append(leakgraph.snapshot())
    leave.set()
    for each in workers:
        each.join()
    growth = leakgraph.diff(*snapshots)
    assert [row.verdict for row in rows_of(growth).values()] == rows * ["accumulates"]


def test_a_bounded_cache_that_fills_is_told_with_its_limit():
    @functools.lru_cache(maxsize=64)
    def load(number):
        return bytes(100_000 + number % 2)

    program.load = load
    numbers = iter(range(1000))
    growth = leakgraph.repeat(lambda: load(next(numbers)), rounds=3, calls=5)
    (row,) = rows_of(growth).values()
    assert (row.degree, row.limit, row.filled) == ("filling", 64, 18)
    assert row.at_limit == pytest.approx(64 * 100_000, rel=0.02)
    assert not growth.is_growing
    assert "bytes and 1 more fills: 18 of 64, 6.11 MiB at its limit" in row.text
    # An object of a free-threaded build is some bytes larger.
    assert re.search(r" MiB in all, \+97\.[78] KiB per call$", row.text)
    assert str(growth).startswith("Nothing grows without a limit; 1 place fills: +1.4")
