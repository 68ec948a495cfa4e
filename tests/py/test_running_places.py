"""What running code holds, too, is in one place, whenever the code runs."""

import asyncio
import gc
import re
import weakref

import pytest
from builds import PUBLIC, needs_attributes

import leakgraph

pytestmark = [pytest.mark.ends, pytest.mark.small]

needs_frames = pytest.mark.skipif(PUBLIC, reason="the public method sees no frames")


class Item:
    def __init__(self, number):
        self.number, self.data = number, bytearray(2000)


class Owner:
    """Has a list, and things that know their owner."""

    def __init__(self):
        self.items, self.parts = [], []

    def add(self, number):
        self.items.append(Item(number))

    def keep(self):
        return self.items


class Part:
    def __init__(self, whole):
        self.whole, self.items = whole, []


plain = []
owner = Owner()
whole = Owner()


@pytest.fixture(autouse=True)
def fresh():
    yield
    plain.clear()
    for each in (owner, whole):
        each.items.clear()
        each.parts.clear()


def nobody():
    return leakgraph.snapshot()


def with_list():
    local = owner.items
    assert local
    return leakgraph.snapshot()


def with_owner():
    local = owner
    assert local.items
    return leakgraph.snapshot()


def with_both():
    local, other = owner, owner.items
    assert local.items is other
    return leakgraph.snapshot()


def with_method():
    let_go = owner.items.clear
    assert let_go
    return leakgraph.snapshot()


def with_closure():
    items = owner.items

    def inner():
        return items

    assert inner()
    return leakgraph.snapshot()


def with_variable():
    local = plain
    assert local
    return leakgraph.snapshot()


def compare(add, takers):
    snapshots = []
    for taker in takers:
        for number in range(60):
            add(number)
        gc.collect()
        snapshots.append(taker())
    return snapshots, leakgraph.diff(*snapshots, min_bytes=16 << 10)


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize(
    "taker", [with_list, with_owner, with_both, with_method, with_closure]
)
def test_a_list_that_a_frame_holds_in_some_snapshots_is_in_one_place(taker, first):
    takers = [nobody, nobody, taker, nobody]
    _, growth = compare(owner.add, takers if first else [*takers[1:], taker])
    (row,) = growth
    assert (row.type, row.degree) == (f"{__name__}.Item", "steady")
    assert row.counts == (60, 120, 180, 240)


def test_a_variable_that_a_frame_holds_in_some_snapshots_is_in_one_place():
    takers = [nobody, with_variable, nobody, with_variable]
    _, growth = compare(lambda number: plain.append(Item(number)), takers)
    (row,) = growth
    assert row.held_by == f"{__name__}.plain[*]"
    assert row.counts == (60, 120, 180, 240)


@needs_frames
def test_what_only_frames_hold_stays_theirs():
    """Two hold each other, and one frame holds both: neither is without the frame."""
    one, other = Owner(), Owner()
    one.parts.append(other)
    other.parts.append(one)
    held = one.items, other.items
    _, growth = compare(one.add, [nobody] * 4)
    assert held
    (row,) = growth
    assert row.counts == (60, 120, 180, 240)
    assert row.held_by.startswith("thread MainThread in ")


@needs_attributes
def test_what_others_share_is_below_what_they_have_in_common():
    """The parts lead back to their owner, which does not hold itself."""

    def add(number):
        whole.items.append(Item(number))
        whole.parts.append(Part(whole))

    def with_whole():
        local, part = whole, whole.parts[0]
        assert local is part.whole
        return leakgraph.snapshot()

    _, growth = compare(add, [nobody, with_whole, nobody, with_whole])
    rows = {row.type: row.counts for row in growth}
    assert rows == {
        f"{__name__}.Item": (60, 120, 180, 240),
        f"{__name__}.Part": (60, 120, 180, 240),
    }


def test_summaries_have_these_places_too(tmp_path):
    snapshots, _ = compare(owner.add, [nobody, nobody, nobody, with_method])
    paths = [tmp_path / f"{number}.lgsum" for number in range(4)]
    for path, snapshot in zip(paths, snapshots):
        snapshot.summary(path)
    (row,) = leakgraph.diff(*paths, min_bytes=16 << 10)
    assert row.counts == (60, 120, 180, 240)


def iterated():
    for item in owner.items:
        assert item
        return leakgraph.snapshot()


@needs_attributes
def test_what_a_hidden_stack_has_stays_in_its_place():
    taken = []
    for take in (nobody, nobody, nobody, iterated):
        for number in range(200):
            owner.add(number)
        taken.append(take())
    (row,) = leakgraph.diff(*taken)
    assert row.held_by.endswith("owner.items[*]")
    assert row.counts == (200, 400, 600, 800)


async def wait_in_turn(queue):
    seen = []
    while True:
        seen += [Item(number) for number in range(200)]
        await queue.get()
        seen += [Item(number) for number in range(200)]
        plain.append(asyncio.get_running_loop().create_future())
        await plain[0]


async def compare_waits(taken):
    queue = asyncio.Queue()
    task = weakref.ref(asyncio.create_task(wait_in_turn(queue)))
    for number in range(6):
        for _ in range(3):
            await asyncio.sleep(0)
        taken.append(leakgraph.snapshot())
        if number % 2 == 0:
            queue.put_nowait(number)
        else:
            plain.pop().set_result(None)
    assert task() is not None


@needs_frames
def test_a_task_stays_in_its_place_whatever_it_waits_for():
    taken = []
    asyncio.run(compare_waits(taken))
    (row,) = leakgraph.diff(*taken)
    assert re.search(r"in coroutine wait_in_turn\(\) .* local seen", row.held_by)
    assert row.counts == (200, 400, 600, 800, 1000, 1200)


async def hold(seen, parent, woken):
    await woken.wait()
    assert seen
    assert parent is not None


async def share_with_tasks(taken):
    """Have tasks in every other snapshot that hold what this one has, and this one."""
    seen, loop = [], asyncio.get_running_loop()

    def take(woken):
        taken.append(leakgraph.snapshot())
        woken.set()

    for number in range(6):
        seen += [Item(number) for number in range(200)]
        woken, parts = asyncio.Event(), []
        if number % 2 == 0:
            part = hold(seen, asyncio.current_task(), woken)
            parts.append(loop.create_task(part))
            del part
        loop.call_soon(take, woken)
        await woken.wait()
        await asyncio.gather(*parts)


@needs_frames
def test_what_the_task_of_a_loop_has_is_in_its_place_whatever_tasks_it_makes():
    taken, loop = [], asyncio.new_event_loop()
    loop.run_until_complete(share_with_tasks(taken))
    loop.close()
    (row,) = leakgraph.diff(*taken)
    assert re.search(r"in coroutine share_with_tasks\(\) .* local seen", row.held_by)
    assert row.counts == (200, 400, 600, 800, 1000, 1200)
