"""Tests leakgraph.watch() with a clock and numbers of the tests' own."""

import gc
import os
import pickle
import re
import sys
import tracemalloc
import warnings
from array import array
from types import SimpleNamespace

import pytest

import leakgraph
from leakgraph import samples, sites, watching
from leakgraph.budget import Budget
from leakgraph.digest import summarize
from leakgraph.found import MUCH
from leakgraph.imports import Imports
from leakgraph.leak_text import LeakWarning, describe, nothing, sample_lines, signed
from leakgraph.sequence import ENOUGH, SLOTS, Sequence
from leakgraph.snapshot_files import SnapshotFiles
from leakgraph.watching import Watch

pytestmark = [pytest.mark.ends, pytest.mark.small]

MEGABYTE = 1 << 20


@pytest.fixture(autouse=True)
def collected(monkeypatch):
    """Count how often a Watch asked for a collection: most tests need none."""
    collections = []
    monkeypatch.setattr(watching.gc, "collect", lambda: collections.append(1))
    return collections


@pytest.fixture
def at_once(monkeypatch):
    """Tell each leak with the first comparison."""
    monkeypatch.setattr("leakgraph.found.LATE", 0.0)


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class Row:
    """A Watch reads this much of a GrowthRow."""

    node = fix = None
    verdict = "accumulates"
    type = "Item"
    counts = (1,)

    def __init__(self, holder, degree="steady", gained=MEGABYTE):
        self.held_by = self.place = holder
        self.degree, self.gained, self.minor = degree, gained, False
        self.idle, self.came_last = 0, False
        self.text = f"{holder}: Item accumulates"


class Growth(list):
    gained = native_gained = unexplained = 0
    types = ()

    @property
    def is_growing(self):
        return bool(self)


class FakeSnapshotFiles:
    """Counts snapshots, and finds what the test says."""

    def __init__(self, clock, rows=(), cost=0.0):
        self.clock, self.rows, self.cost = clock, list(rows), cost
        self.taken, self.compared, self.slots = [], [], [None] * SLOTS
        self.is_closed = self.needs_native = False
        #: How many snapshots each closer look compared, and what it says.
        self.looked, self.closely = [], None
        self.types = ()
        #: What there is to find from the next snapshot on.
        self.later = None
        #: For how many seconds a busy machine puts off the fork.
        self.late = 0.0

    def take(self, slot, progress=None, *, native=False):
        assert self.slots[slot] is None
        self.clock.now += self.late
        if progress is not None:
            progress("", 0.0)
        self.rows = self.rows if self.later is None else self.later
        self.clock.now += self.cost
        self.slots[slot] = self.clock.now
        self.taken.append(self.clock.now)

    def drop(self, slot):
        self.slots[slot] = None

    def move(self, source, target):
        self.slots[target], self.slots[source] = self.slots[source], None

    def compare(
        self,
        count,
        *,
        first=0,
        steps=None,
        unit="step",
        min_bytes=0,
        settled=False,
        nodes=True,
    ):
        self.unit = unit
        assert None not in self.slots[first:count]
        assert list(steps) == sorted(steps) and len(steps) == count - first
        self.compared.append(list(steps))
        growth = Growth(self.rows)
        growth.needs_native = self.needs_native
        growth.types = self.types
        return growth

    def look_closely(self, count, **options):
        self.looked.append(count)
        return self.closely

    def close(self):
        self.is_closed = True


class Program:
    """Run a loop with steps of a second, whose memory is what a function says."""

    def __init__(self, memory, rows=(), cost=0.0, **options):
        self.clock = Clock()
        self.snapshots = FakeSnapshotFiles(self.clock, rows, cost)
        self.memory = memory
        self.watch = Watch(
            clock=self.clock,
            work=self.clock,
            read=self.read,
            snapshots=self.snapshots,
            imports=Imports(lambda: self.modules),
            background=False,
            **options,
        )

    modules = 100

    def read(self):
        now = self.clock.now
        return (self.memory(now), 0, 0, 0, 0)

    def run(self, steps):
        for _ in range(steps):
            self.clock.now += 1.0
            self.watch.step()


def leaking(now):
    return now * MEGABYTE


HONEST = {
    "constant": lambda now: 5 * MEGABYTE,
    "falling": lambda now: (2000 - now) * MEGABYTE,
    "sawtooth": lambda now: now % 7 * MEGABYTE,
    "few": lambda now: min(now, 3) * MEGABYTE,
    "slow": lambda now: now * 100,
}
ONCE = {
    "filled": lambda now: min(now, 5) * MEGABYTE,
    "step": lambda now: (now > 30) * 100 * MEGABYTE,
}


@pytest.mark.parametrize("name", HONEST)
def test_no_snapshot_without_growth(name):
    program = Program(HONEST[name], budget=1.0)
    program.run(1000)
    assert program.snapshots.taken == []
    assert program.watch.leaks == []


@pytest.mark.parametrize("name", ONCE)
def test_what_rose_once_is_looked_at_once(name):
    """It may have come in a burst, and others may follow."""
    program = Program(ONCE[name], budget=1.0)
    program.run(1000)
    assert len(program.snapshots.taken) == ENOUGH
    assert program.watch.leaks == []


def test_a_leak_is_told_once():
    program = Program(leaking, [Row("losses[*]")], budget=1.0)
    with pytest.warns(leakgraph.LeakWarning, match="losses") as reported:
        program.run(1000)
    assert len(reported) == 1
    assert reported[0].filename == __file__
    assert len(program.snapshots.compared[0]) == ENOUGH
    assert len(program.watch.leaks) == 1
    assert program.watch.leaks[0] in program.watch.report()
    assert program.watch.steps == 1000
    program.snapshots.rows.append(Row("other"))
    with pytest.warns(leakgraph.LeakWarning, match="other") as reported:
        program.run(5000)
    assert len(reported) == 1


def test_snapshots_are_taken_at_widening_distances():
    program = Program(leaking, budget=1.0)
    program.snapshots.rows = []
    program.snapshots.compare = lambda *_, **__: pytest.fail("too early")
    with pytest.raises(pytest.fail.Exception):
        program.run(1000)
    taken = program.snapshots.taken
    assert len(taken) == ENOUGH
    distances = [after - before for before, after in zip(taken, taken[1:])]
    assert distances == sorted(distances) and distances[0] < distances[-1]


def test_slots_are_used_again():
    program = Program(leaking, [Row("losses[*]")], budget=1.0)
    with pytest.warns(leakgraph.LeakWarning):
        program.run(20000)
    assert len(program.snapshots.taken) > SLOTS
    assert max(map(len, program.snapshots.compared)) == SLOTS


def test_without_a_place_it_stands_down():
    program = Program(leaking, budget=1.0)
    program.run(1000)
    assert len(program.snapshots.taken) >= ENOUGH
    assert len(program.snapshots.compared[0]) == ENOUGH
    assert "No place was found" in program.watch.report()


@pytest.mark.parametrize(
    ("degree", "how"), [("slowing", "more and more slowly"), ("late", "in the last")]
)
def test_what_may_yet_go_on_is_named_while_memory_rises(degree, how):
    rows = [Row("small", degree, 70 << 10), Row("most[*]", degree), Row("x", "idle")]
    program = Program(leaking, rows, budget=1.0)
    program.run(1000)
    assert not program.watch.leaks
    said = program.watch.report().splitlines()[-1]
    assert said.startswith("No place was found that goes on growing, after ")
    assert f" most[*] gained the most, 1.00 MiB, {how}" in said
    calm = Program(lambda now: 0, rows, budget=1.0)
    calm.run(1000)
    assert "gained the most" not in calm.watch.report()


def test_what_goes_on_up_to_a_limit_is_named_while_memory_rises():
    rows = [Row("less", "filling", 70 << 10), Row("most[*]", "filling")]
    program = Program(leaking, rows, budget=1.0)
    program.run(1000)
    assert not program.watch.leaks
    first, second = program.watch.report().splitlines()[-2:]
    assert first.endswith(" snapshots. What follows does so up to a limit.")
    assert second == "most[*]: Item accumulates"


@pytest.mark.parametrize(("gained", "is_said"), [(64 << 10, True), (65535, False)])
def test_without_a_place_the_type_that_gained_the_most_is_named(gained, is_said):
    program = Program(leaking, budget=1.0)
    kinds = [("app.Small", 1 << 10), ("app.Item", gained), ("app.Less", -gained)]
    program.snapshots.types = [
        SimpleNamespace(name=kind, gained=number) for kind, number in kinds
    ]
    program.run(1000)
    said = " Of all types, app.Item gained the most, 64.0 KiB. Memory rises"
    assert (said in program.watch.report()) is is_said


def test_a_run_that_ended_before_its_first_snapshot_says_what_to_do():
    program = Program(leaking)
    program.run(watching.LOOK - 1)
    assert program.watch.report().splitlines()[-1] == (
        "Nothing was compared: the run ended 1 sample before its first snapshot, and a"
        " comparison needs several. Watch for longer."
    )
    often = nothing(0, False, 2, True, None)
    assert " ended 2 samples before " in often and "--every 0.1 (every=0.1)" in often
    found = "No place was found that goes on growing, after "
    needed = f"of the {ENOUGH} snapshots that it takes to be sure."
    assert nothing(1, False, 2, True, None) == f"{found}1 {needed}"
    assert nothing(ENOUGH, False, 2, True, None) == f"{found}{ENOUGH} snapshots."
    none = f"{found}0 {needed} The first one comes when memory rises."
    assert nothing(0, False, 0, True, None) == none


@pytest.mark.parametrize(
    ("before", "x", "seconds"),
    [
        (ENOUGH, 34.0, [0, 10, 20, 34]),
        (ENOUGH, 300.0, [0, 10, 20, 30, 300]),
        (ENOUGH - 1, 21.0, [0, 10, 20, 21]),
    ],
)
def test_the_last_snapshot_takes_the_place_of_one_right_before(before, x, seconds):
    sequence = Sequence(FakeSnapshotFiles(Clock()))
    sequence.begin_episode(10.0)
    for number in range(before):
        sequence.take(lambda at=10.0 * number: (at, at))
    sequence.take_last(x, x)
    assert sequence.seconds == seconds


def test_snapshots_that_were_dropped_do_not_count():
    sequence = Sequence(FakeSnapshotFiles(Clock()))
    for x in range(SLOTS + 1):
        sequence.take(lambda x=x: (x, x))
    assert sequence.counted == sequence.count < SLOTS
    sequence.close()
    assert sequence.counted == SLOTS // 2 + 1
    sequence = Sequence(FakeSnapshotFiles(Clock()))
    sequence.take(lambda: (1, 1))
    sequence.forget()
    assert sequence.counted == 0


def test_the_budget_limits_snapshots():
    costs = []
    for budget in (0.5, 0.01):
        program = Program(leaking, [Row("x")], cost=2.0, budget=budget)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program.run(4000)
        spent = 2.0 * len(program.snapshots.taken)
        assert spent <= budget * program.clock.now
        costs.append(spent)
    assert costs[1] > 0


def test_the_budget_comes_faster_at_first():
    """The first minute's, five times as fast; nothing more until it is over."""
    clock = Clock()
    budget = Budget(0.01, clock, clock)
    budget.plan = 0.1
    assert not budget.has(1.99) and budget.has(2.01)
    for cost, due in ((0.4, 10.0), (0.1, 12.0), (0.01, 61.0), (0.5, 111.0)):
        since = budget.start()
        clock.now += cost
        budget.spend(since)
        assert not budget.has(due - 0.01) and budget.has(due + 0.01)


def test_samples_come_faster_at_first():
    """One that takes long, such as that of a large heap, does not delay the rest."""
    clock = Clock()
    budget = Budget(0.01, clock, clock)
    for cost, due in ((0.05, 10.0), (0.01, 12.0), (0.01, 70.0)):
        since = budget.start()
        clock.now += cost
        assert budget.sampled(since) == pytest.approx(due)


def test_one_dear_sample_does_not_blind_the_watch():
    """For ten times as long as the cheapest one is worth, but only at first."""
    clock = Clock()
    budget = Budget(0.01, clock, clock)
    for now, cost, due in ((0, 0.001, 0.2), (1, 0.099, 11.099), (70, 0.001, 101.0)):
        clock.now = now
        since = budget.start()
        clock.now += cost
        assert budget.sampled(since) == pytest.approx(due)


def test_the_first_snapshot_of_many_objects_comes_within_the_first_minute(monkeypatch):
    monkeypatch.setattr(sys, "getallocatedblocks", lambda: 3_000_000)
    clock = Clock()
    budget = Budget(0.01, clock, clock)
    assert not budget.has(30.9) and budget.has(31.1)
    since = budget.start()
    clock.now += 1.0
    budget.spend(since, is_snapshot=True)
    assert not budget.has(199.9) and budget.has(200.1)


def test_time_that_other_programs_take_is_no_cost():
    """A sample that waited for a processor delays no other one."""
    clock = Clock()

    def read():
        clock.now += 1.0
        return (leaking(clock.now), 0, 0, 0, 0)

    snapshots = FakeSnapshotFiles(clock, [Row("x")], cost=10.0)
    watch = Watch(
        clock=clock,
        work=lambda: 0.0,
        read=read,
        snapshots=snapshots,
        background=False,
    )
    watch._budget.plan = 0.0
    with pytest.warns(leakgraph.LeakWarning):
        for _ in range(1000):
            clock.now += 1.0
            watch.step()
    assert len(snapshots.taken) >= ENOUGH


def test_raise():
    program = Program(leaking, [Row("losses[*]")], budget=1.0, on_leak="raise")
    with pytest.raises(leakgraph.LeakError, match="losses"):
        program.run(1000)
    program.run(1000)


def test_call():
    reported = []
    program = Program(
        leaking,
        [Row("x"), Row("y")],
        budget=1.0,
        on_leak=lambda *leak: reported.append(leak),
    )
    program.run(1000)
    assert [row.held_by for row, _ in reported] == ["x", "y"]
    assert reported[0][1] == program.snapshots.rows


def test_stop():
    program = Program(leaking, [Row("x")], budget=1.0)
    with program.watch as watch:
        program.run(3)
    assert watch.steps == 3
    assert program.snapshots.is_closed
    program.run(3)
    assert watch.steps == 3
    watch.stop()
    assert "stopped" in repr(watch)


def test_what_was_found_last_is_told_at_the_end():
    program = Program(leaking, budget=1.0, on_leak="raise")
    program.watch._pending.append((Row("x"), Growth(), "x grows"))
    with pytest.raises(leakgraph.LeakError, match="x grows"), program.watch:
        pass
    program = Program(leaking, budget=1.0, on_leak="raise")
    program.watch._pending.append((Row("x"), Growth(), "x grows"))
    with pytest.raises(KeyError), program.watch:
        raise KeyError


def test_a_failing_snapshot_does_no_harm():
    program = Program(leaking, budget=1.0)

    def fail(slot, progress, *, native):
        raise leakgraph.ChildError("no process")

    program.snapshots.take = fail
    program.run(1000)
    assert program.watch.leaks == []


def test_samples_become_rare_and_cheap():
    reads = []
    program = Program(lambda now: reads.append(now) or 0)
    program.run(20000)
    assert 100 < len(reads) < 1000
    slow = []

    def memory(now):
        slow.append(now)
        program.clock.now += 1.0
        return 0

    program = Program(memory, budget=0.01)
    program.run(10000)
    assert len(slow) <= samples.MOST and len(slow) <= 0.001 * program.clock.now + 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"every": 0},
        {"every": -1.0},
        {"budget": 0},
        {"budget": 1.5},
        {"on_leak": "shout"},
    ],
)
def test_impossible_options(wrong):
    with pytest.raises(leakgraph.ArgumentError, match=f"{next(iter(wrong))} must be"):
        leakgraph.watch(**wrong)


def test_an_interval_is_a_number():
    with pytest.raises(TypeError, match="every must be seconds, not str"):
        leakgraph.watch(every="x")


def test_a_forked_child_is_not_watched():
    program = Program(leaking, [Row("x")], budget=1.0)
    program.run(5)
    child = os.fork()
    if child == 0:
        program.run(1000)
        right = program.watch.steps == 5 and not program.snapshots.taken
        os._exit(0 if right else 1)
    assert os.waitpid(child, 0)[1] == 0
    program.run(1)
    assert program.watch.steps == 6


def test_a_copy_in_a_worker_is_not_watched():
    watch = pickle.loads(pickle.dumps(Program(leaking).watch))
    watch.step()
    assert watch.steps == 0
    watch.stop()


def test_samples_of_this_process():
    resident, _, blocks, uncollectable, devices = samples.read()
    assert resident > MEGABYTE and blocks > 1000 and uncollectable >= 0
    assert devices == 0
    assert len(samples.read()) == len(samples.FLOORS)
    kept = [bytes(100) for _ in range(10000)]
    assert samples.read()[2] >= blocks + len(kept) / 2


def test_bytes_on_devices(monkeypatch):
    class Cuda:
        is_initialized = staticmethod(lambda: True)
        device_count = staticmethod(lambda: 2)
        memory_stats_as_nested_dict = staticmethod(
            lambda device: {"allocated_bytes": {"all": {"current": 100 + device}}}
        )

    class Torch:
        cuda = Cuda

    monkeypatch.setitem(samples.sys.modules, "torch", Torch)
    assert samples.read()[4] == 201
    monkeypatch.setattr(Cuda, "is_initialized", lambda: False)
    assert samples.read()[4] == 0


def test_malloc_is_asked_seldom_where_that_takes_long():
    clock, asked = Clock(), []

    def ask():
        asked.append(1)
        clock.now += samples.DEAR * dear
        return 1000 * len(asked)

    dear = 0.5
    malloc = samples._Malloc(ask, clock)
    assert [malloc.read() for _ in range(3)] == [1000, 2000, 3000]
    dear = 3.5
    assert [malloc.read() for _ in range(6)] == [4000, 4000, 4000, 4000, 5000, 5000]
    assert samples._Malloc(lambda: -1, clock).read() == 0


def test_by_time():
    reported = []
    program = Program(
        leaking, [Row("x")], budget=1.0, on_leak=lambda *leak: reported.append(leak)
    )
    program.watch._by_time = True
    for _ in range(1000):
        program.clock.now += 1.0
        program.watch._sample()
    program.watch._tell(1)
    assert len(reported) == 1
    assert program.snapshots.compared[0][0] > 0  # seconds
    assert program.snapshots.unit == "second"


@pytest.mark.parametrize(("gained", "told"), [(MUCH, 1), (MUCH - 1, 0)])
def test_a_last_look(gained, told):
    """With two snapshots, only what gained much is told: anything may come once."""
    program = Program(leaking, [Row("x", gained=gained)], budget=1.0)
    while not program.snapshots.taken:
        program.run(1)
    program.run(1)
    with warnings.catch_warnings(record=True) as said:
        program.watch.stop()
    assert [str(one.message) for one in said] == ["x: Item accumulates"] * told
    assert len(program.snapshots.compared[0]) == 2
    assert program.snapshots.is_closed
    program.watch.stop()
    assert len(program.snapshots.compared) == 1


def test_a_last_look_needs_no_step_after_the_last_snapshot():
    program = Program(leaking, [Row("x")], budget=1.0)
    while len(program.snapshots.taken) < ENOUGH:
        program.run(1)
    with pytest.warns(LeakWarning, match="x: Item accumulates") as said:
        program.watch.stop()
    assert said[0].filename == __file__
    assert len(program.snapshots.taken) == ENOUGH


def test_a_last_look_after_one_that_found_no_place():
    """The samples since are too few to rise, but those of the whole run do."""
    program = Program(leaking, budget=1.0)
    while not program.snapshots.compared:
        program.run(1)
    assert program.watch._whole.rising()
    program.run(1)
    program.snapshots.later = [Row("x", gained=MUCH)]
    with pytest.warns(LeakWarning, match="x: Item accumulates"):
        program.watch.stop()


def test_the_last_snapshot_counts_until_the_program_ended(monkeypatch):
    """The watch may wait for a snapshot that was under way."""
    program = Program(leaking, [Row("x", gained=64 * MUCH)], budget=1.0)
    program.watch._by_time = True
    while not program.snapshots.taken:
        program.clock.now += 1.0
        program.watch._sample()
    program.clock.now += 1.0
    end = program.clock.now

    def wait():
        program.clock.now += 100.0

    monkeypatch.setattr(program.watch, "_end_threads", wait)
    with pytest.warns(LeakWarning):
        program.watch.stop()
    assert program.snapshots.compared[-1][-1] == end


def test_the_end_of_a_block_is_where_its_last_leaks_are_told():
    program = Program(leaking, [Row("x")], budget=1.0)
    with pytest.warns(LeakWarning, match="x: Item") as said, program.watch:
        while len(program.snapshots.taken) < ENOUGH:
            program.run(1)
    assert said[0].filename == __file__


@pytest.mark.parametrize("memory", [HONEST["constant"], leaking])
def test_no_last_look_without_a_first(memory):
    program = Program(memory, [Row("x")], budget=1e-9)
    program.run(100)
    program.watch.stop()
    assert program.snapshots.taken == []
    rises = "Memory rises all the same" in program.watch.report()
    assert rises is (memory is leaking)


@pytest.mark.parametrize("before", [ENOUGH, ENOUGH - 1])
@pytest.mark.parametrize(
    ("by_time", "at_end", "told"),
    [
        (True, [Row("moved")], ["x"]),
        (True, [Row("x", degree="stopped"), Row("moved")], []),
        (False, [Row("moved")], ["moved"]),
    ],
)
def test_what_functions_kept_is_gone_at_the_end(by_time, at_end, told, before):
    """At its end a script has no variables of functions: they are no news."""
    program = Program(leaking, [Row("x")], budget=1.0)
    program.watch._by_time = by_time
    while len(program.snapshots.taken) < before:
        program.clock.now += 1.0
        program.watch.step() if not by_time else program.watch._sample()
    program.clock.now += 1.0
    program.watch._steps += 1
    program.snapshots.later = at_end
    with warnings.catch_warnings(record=True) as said:
        program.watch.stop()
    assert [str(one.message) for one in said] == [
        f"{each}: Item accumulates" for each in told
    ]


def test_two_snapshots_with_native_memory_do_not_replace_what_was_known():
    row = Row("x", gained=MUCH)
    row.verdict = "native"
    program = Program(leaking, [row], budget=1.0)
    program.snapshots.needs_native = True
    while not program.watch._sequence._native:
        program.run(1)
    program.run(1)
    program.snapshots.later = [Row("moved", gained=MUCH)]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        program.watch.stop()
    assert [str(one.message) for one in said] == ["x: Item accumulates"]


def test_a_last_look_names_the_line():
    program = Program(leaking, [Row("x", gained=MUCH)], budget=1.0, traces=True)
    while not program.snapshots.taken:
        program.run(1)
    program.run(1)
    with pytest.warns(LeakWarning):
        program.watch.stop()
    assert not tracemalloc.is_tracing()


def test_a_thread_samples_by_time():
    with leakgraph.watch(every=0.001) as watch:
        while watch._window.count < 3:
            watch._end.wait(0.001)
    assert not watch._sampler.is_alive()


class Item:
    def __init__(self, number):
        self.values = [float(number)] * 20


kept = []


@pytest.mark.usefixtures("at_once")
def test_a_real_leak_with_its_line():
    clock = Clock()
    reported = {}
    watch = Watch(
        1.0,
        lambda row, growth: reported.update({row.held_by: row}),
        traces=True,
        clock=clock,
        read=lambda: (leaking(clock.now), 0, 0, 0, 0),
        snapshots=SnapshotFiles(SLOTS),
        background=False,
    )
    with watch:
        while f"{__name__}.kept[*]" not in reported:
            assert watch.steps < 1000
            kept.extend([Item(watch.steps) for _ in range(20)])
            clock.now += 1.0
            watch.step()
    assert not tracemalloc.is_tracing()
    kept.clear()
    assert reported[f"{__name__}.kept[*]"].per_step > 0
    (text,) = (text for text in watch.leaks if text.startswith(f"{__name__}.kept[*]"))
    assert f"{__name__}.kept[*]: Item accumulates" in text
    assert f"allocated at {__file__}:" in text


class Without(SnapshotFiles):
    """Never makes nodes in this process."""

    def compare(self, count, *, nodes=True, **options):
        assert not nodes
        return super().compare(count, nodes=False, **options)


@pytest.mark.usefixtures("at_once")
def test_another_process_finds_the_line(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    clock = Clock()
    watch = Watch(
        1.0,
        traces=True,
        clock=clock,
        read=lambda: (leaking(clock.now), 0, 0, 0, 0),
        snapshots=Without(SLOTS),
        background=False,
    )
    with watch, pytest.warns(LeakWarning):
        while not any("kept[*]" in text for text in watch.leaks):
            assert watch.steps < 1000
            kept.extend([Item(watch.steps) for _ in range(20)])
            clock.now += 1.0
            watch.step()
    kept.clear()
    (text,) = (text for text in watch.leaks if "kept[*]" in text)
    assert re.search(rf"; allocated at {re.escape(__file__)}:\d+$", text), text
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("at_once")
def test_a_line_of_a_library_is_traced_to_the_program(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    library = "/usr/lib/python3/dist-packages/library.py"
    space = {"Item": Item}
    exec(compile("def make(at):\n    return Item(at)", library, "exec"), space)
    clock = Clock()
    watch = Watch(
        1.0,
        traces=True,
        clock=clock,
        read=lambda: (leaking(clock.now), 0, 0, 0, 0),
        snapshots=Without(SLOTS),
        background=False,
    )
    with watch, pytest.warns(LeakWarning):
        while not any("kept[*]" in text for text in watch.leaks):
            assert watch.steps < 1000
            kept.extend([space["make"](watch.steps) for _ in range(20)])
            line = sys._getframe().f_lineno - 1
            clock.now += 1.0
            watch.step()
    kept.clear()
    (text,) = (text for text in watch.leaks if "kept[*]" in text)
    assert text.endswith(f"; allocated at {__file__}:{line}, through {library}:2")
    assert not tracemalloc.is_tracing()


@pytest.mark.usefixtures("at_once")
def test_a_function_gets_what_another_process_found(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    clock = Clock()
    reported = []
    watch = Watch(
        1.0,
        lambda row, growth: reported.append((row, growth)),
        clock=clock,
        read=lambda: (leaking(clock.now), 0, 0, 0, 0),
        snapshots=Without(SLOTS),
        background=False,
    )
    with watch:
        while not any("kept[*]" in text for text in watch.leaks):
            assert watch.steps < 1000
            kept.extend([Item(watch.steps) for _ in range(20)])
            clock.now += 1.0
            watch.step()
    kept.clear()
    ((row, growth),) = (leak for leak in reported if "kept[*]" in leak[0].held_by)
    assert row in list(growth)
    assert row.node is None
    assert row.counts[-1] > row.counts[0]
    assert "kept[*]" in str(growth)
    assert list(tmp_path.iterdir()) == []


def test_nobody_looks_closely_without_another_process(monkeypatch):
    snapshots = SnapshotFiles(2)
    for slot in range(2):
        snapshots.take(slot)
    monkeypatch.setattr("leakgraph.digest.sys.executable", "")
    assert snapshots.look_closely(2) is None
    snapshots.close()


def test_a_file_is_closed_once_even_if_a_signal_interrupts(monkeypatch):
    snapshots = SnapshotFiles(1)
    snapshots.take(0)
    close, closed = os.close, []

    def interrupted(file):
        close(file)
        closed.append(file)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "close", interrupted)
    with pytest.raises(KeyboardInterrupt):
        snapshots.close()
    snapshots.close()
    assert len(closed) == 1


def test_snapshot_files_go_last_and_are_closed(monkeypatch):
    """When the interpreter ends, the names of its module may be gone before it is."""
    snapshots = SnapshotFiles(2)
    snapshots.take(1)
    (file,) = (file for file in snapshots._files if file >= 0)
    for name in vars(sys.modules[SnapshotFiles.__module__]):
        monkeypatch.setattr(f"leakgraph.snapshot_files.{name}", None)
    del snapshots
    with pytest.raises(OSError):
        os.fstat(file)


def test_another_process_makes_the_summaries(monkeypatch, tmp_path):
    """An analysis does not make this one grow. The rows are the same, but for nodes."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    snapshots = SnapshotFiles(4)
    for slot in range(3):
        snapshots.take(slot)
        kept.extend([Item(number) for number in range(20)])
    snapshots.move(2, 3)
    snapshots.move(3, 2)
    growths = [snapshots.compare(3, min_bytes=1000, nodes=nodes) for nodes in (0, 1)]
    kept.clear()
    found = [
        [(row.place, row.counts, row.gained) for row in growth if "kept" in row.held_by]
        for growth in growths
    ]
    assert found[0] == found[1] != []
    assert {row.node for row in growths[0]} == {None}
    assert any(row.node for row in growths[1])
    # The oldest have lost their snapshots, and nobody makes new ones.
    assert list(snapshots._files[:2]) == [-1, -1]
    monkeypatch.setattr(
        "leakgraph.snapshot_files.summarize", lambda files, targets: not files
    )
    assert len(snapshots.compare(3, min_bytes=1000, nodes=False)) == len(growths[0])
    snapshots.close()
    assert list(tmp_path.iterdir()) == []


def test_another_process_tells_what_goes_together():
    snapshots = SnapshotFiles(3)
    calls, table = [], {}
    for slot in range(3):
        for number in range(50):
            item = table[slot, number] = Item(number)
            calls.append([item, bytearray(2000)])
        snapshots.take(slot)
    growth = snapshots.compare(3, min_bytes=1000, nodes=False)
    _, leaks = snapshots.look_closely(3, min_bytes=1000)
    snapshots.close()
    here = [row for row in growth if "local calls" in row.text or "Item" in row.text]
    assert len(here) > 1
    (lead,) = [row for row in here if row.place in leaks]
    text, gained = leaks[lead.place]
    assert gained >= sum(row.gained for row in here)
    assert "local calls" in text and "local table" in text
    assert text.endswith("must both let go")


def test_what_goes_together_is_told_once():
    program = Program(leaking, [Row("x", gained=MUCH), Row("y", gained=MUCH)])
    program.snapshots.closely = {}, {"y": ("y: Pair accumulates with Item", 2 * MUCH)}
    with pytest.warns(LeakWarning) as warned:
        program.run(200)
    assert [str(one.message) for one in warned] == ["y: Pair accumulates with Item"]
    assert program.snapshots.looked


def test_what_goes_together_is_told_so_after_later_comparisons():
    program = Program(leaking, [Row("x", gained=MUCH), Row("y", gained=MUCH)])
    program.snapshots.closely = {}, {"y": ("y: Pair accumulates with Item", 2 * MUCH)}
    with pytest.warns(LeakWarning):
        program.run(200)
    before = len(program.snapshots.compared)
    program.run(400)
    assert len(program.snapshots.compared) > before
    assert program.watch.leaks == ["y: Pair accumulates with Item"]


def test_one_closer_look_serves_rows_and_lines():
    rows = [Row("x", gained=MUCH), Row("y", gained=MUCH)]
    program = Program(leaking, rows, budget=1.0, traces=True)
    program.snapshots.closely = {}, {"y": ("y: Pair accumulates with Item", 2 * MUCH)}
    with pytest.warns(LeakWarning):
        while not program.watch.leaks:
            program.run(1)
    assert program.snapshots.looked == [ENOUGH, ENOUGH + 1]
    program.watch.abandon()


def test_one_place_needs_no_closer_look():
    program = Program(leaking, [Row("x", gained=MUCH), Row("y", "idle", gained=MUCH)])
    with pytest.warns(LeakWarning):
        program.run(200)
        program.watch.stop()
    assert program.snapshots.looked == []


@pytest.mark.parametrize("program", ["", "/usr/sbin/uwsgi", "/nowhere/python3"])
def test_without_another_process_this_one_compares(program, monkeypatch):
    monkeypatch.setattr("sys.executable", program)
    assert not summarize([0], ["/nowhere/x.lgsum"])


@pytest.mark.usefixtures("at_once")
def test_in_the_background(monkeypatch):
    monkeypatch.setattr("leakgraph.sequence.ENOUGH", 1)
    clock = Clock()
    snapshots = FakeSnapshotFiles(clock, [Row("x")])
    watch = Watch(1.0, clock=clock, read=samples.read, snapshots=snapshots)
    watch._rising = ["resident bytes"]
    clock.now = 100.0
    with pytest.warns(leakgraph.LeakWarning):
        watch.step()
        watch._job.join()
        watch.step()
    assert len(snapshots.taken) == 1
    watch.stop()


def test_a_snapshot_is_one_of_the_time_of_its_fork():
    """A busy machine may put the fork off; until then, the program goes on."""
    clock = Clock()
    snapshots = FakeSnapshotFiles(clock, cost=5.0)
    snapshots.late = 3.0
    watch = Watch(1.0, clock=clock, read=samples.read, snapshots=snapshots)
    watch._rising, watch._by_time = ["resident bytes"], True
    clock.now = 100.0
    watch._sample()
    watch._job.join()
    assert list(watch._sequence._points[:1]) == watch._sequence.seconds == [103.0]
    watch.abandon()


def test_collector_runs_first_if_it_is_on(collected):
    gc.enable()
    program = Program(leaking, budget=1.0)
    program.run(100)
    assert len(collected) == len(program.snapshots.taken) > 0
    was = len(collected)
    gc.disable()
    try:
        program.run(500)
    finally:
        gc.enable()
    assert len(collected) == was
    assert len(program.snapshots.taken) > was


def test_describe():
    assert describe(Row("x"), None) == "x: Item accumulates"
    assert describe(Row("x"), "x.py:3") == "x: Item accumulates; allocated at x.py:3"
    known = Row("x")
    known.fix = "Append loss.item()."
    assert describe(known, None) == "x: Item accumulates. Append loss.item()."


def test_samples_are_told_with_what_rises():
    gained = {"bytes of malloc": 2048.0, "resident bytes": 0.0, "blocks of objects": -3}
    assert sample_lines(["bytes of malloc"], gained) == [
        "bytes of malloc: +2.00 KiB, rises",
        "blocks of objects: -3",
    ]
    assert sample_lines(["resident bytes"], gained)[1].endswith("rises")


def test_signed():
    assert signed(2048, "bytes of malloc") == "+2.00 KiB"
    assert signed(-2048, "blocks of objects") == "-2,048"


def test_no_lines_without_tracemalloc():
    assert sites.allocation_lines([Row("x")]) == {}


def test_a_line_through_noise():
    x = array("d", range(20))
    y = array("d", [3.0 * i + (-1) ** i for i in range(20)])
    y[7] = 1000.0
    slope, noise, rises = leakgraph._core._line(x, y)
    assert slope == pytest.approx(3, abs=0.3) and rises and 0 < noise < 2
    assert leakgraph._core._line(x[:4], y[:4])[2] is False
    with pytest.raises(ValueError):
        leakgraph._core._line(x, y[:4])
