"""What grows from snapshot to snapshot, and who holds it."""

import abc
import collections
import concurrent.futures
import ctypes
import functools
import gc
import io
import json
import os
import random
import sys
import threading
import types
import typing
import weakref
import xml.etree.ElementTree as ElementTree

import pytest
from builds import FREE_THREADED, needs_generations

import leakgraph

pytestmark = [pytest.mark.ends, pytest.mark.small]


class Item:
    def __init__(self, number):
        self.values = [float(number)] * 20


class Holder:
    def __init__(self):
        self.items = []
        self.table = {}
        self.blob = bytearray()
        self.ring = []


holder = Holder()


@pytest.fixture(autouse=True)
def fresh():
    holder.__init__()
    yield
    holder.__init__()


def grow(work, times=3, calls=50):
    """Take a snapshot after each of some rounds of calls."""
    snapshots = []
    for round_ in range(times):
        for call in range(calls):
            work(round_ * calls + call)
        gc.collect()
        snapshots.append(leakgraph.snapshot())
    return snapshots


def compare(work, times=3, calls=50, **options):
    return leakgraph.diff(*grow(work, times, calls), min_bytes=2000, **options)


def append(number):
    holder.items.append(Item(number))


def hold_twice(number):
    holder.ring = holder.ring or [[], []]
    item = Item(number)
    for each in holder.ring:
        each.append(item)


def test_holders_that_read_alike_are_told_once():
    row = next(row for row in compare(hold_twice) if row.type.endswith("Item"))
    assert row.held_by == f"{__name__}.holder.ring[*][*]"
    assert row.other_holders == ()


class Counter:
    """Has more of its kind, if any."""

    def __init__(self):
        self.children = {}
        self.values = [0.0] * 20


def add_child(number):
    holder.table.children[number] = Counter()


def add_leaf(number):
    """Each child has one child, which has none."""
    add_child(number)
    holder.table.children[number].children[0] = Counter()


def add_deeper(number):
    holder.ring[0].children[number] = Counter()
    holder.ring[0] = holder.ring[0].children[number]


@pytest.mark.parametrize(
    ("add", "each"), [(add_child, 1), (add_leaf, 2), (add_deeper, 1)]
)
def test_elements_accumulate_that_have_a_container_each(add, each):
    holder.table = Counter()
    holder.ring = [holder.table]
    (row,) = [row for row in compare(add) if "holder" in row.held_by]
    assert row.held_by == f"{__name__}.holder.table.children[*]"
    assert row.type == f"{__name__}.Counter"
    assert row.counts[-1] - row.counts[0] == 100 * each


def test_containers_accumulate_that_have_an_element_each():
    growth = compare(lambda number: holder.items.append([Item(number)]))
    (row,) = [row for row in growth if "holder" in row.held_by]
    assert (row.held_by, row.type) == (f"{__name__}.holder.items[*]", "list")


def share(number):
    item = Item(number)
    holder.items += [[item], [item]]


def test_what_the_members_of_a_row_share_has_no_row_of_its_own():
    (row,) = compare(share)
    assert row.held_by == f"{__name__}.holder.items[*]"
    assert "list accumulates with Item, 100 → 200 → 300 objects" in row.text
    assert row.gained > 40_000


def record(number):
    holder.items.append({"time": (number,), "request": [Item(number)]})


def test_wrappers_name_what_they_wrap():
    (row,) = compare(record)
    assert row.held_by == f"{__name__}.holder.items[*]"
    assert "dict accumulates with Item, 50 → 100 → 150 objects" in row.text
    (row,) = compare(lambda number: holder.items.append((number, str(number) * 50)))
    assert "tuple accumulates, " in row.text


class Order:
    def __init__(self, number):
        self.lines = [(number, str(number + each) * 30) for each in range(10)]


def test_what_is_wrapped_may_have_the_same_wrappers_inside():
    (row,) = compare(lambda number: holder.items.append((number, Order(number))))
    assert row.held_by == f"{__name__}.holder.items[*]"
    assert "tuple accumulates with Order, " in row.text


def test_wrappers_name_nothing_that_few_of_them_have():
    def work(number):
        holder.items.append([Item(number) if number % 3 == 0 else str(number) * 50])

    assert "list accumulates, " in compare(work)[0].text


class Own:
    """Stands for what leakgraph keeps for itself."""

    __module__ = "leakgraph.own"

    def __init__(self):
        self.kept = [[]]


def test_what_leakgraph_keeps_is_no_growth():
    holder.items = own = Own()
    assert not compare(lambda number: own.kept[0].append((Item(number),)))
    holder.items = [[]]
    assert compare(lambda number: holder.items[0].append((Item(number),)))


def test_a_list_accumulates():
    growth = compare(append)
    row = growth[0]
    assert row.held_by == f"{__name__}.holder.items[*]"
    assert row.type == f"{__name__}.Item"
    assert row.verdict == "accumulates"
    assert row.counts == (50, 100, 150)
    assert row.gained == row.bytes[2].total - row.bytes[0].total
    assert row.per_step is None
    assert row.other_holders == ()
    assert row.node.type_name == row.type
    assert (row.finding, row.fix) == (None, None)
    assert row.text.startswith(
        f"{row.held_by}: Item accumulates, 50 → 100 → 150 objects"
    )
    assert growth.is_growing
    assert growth.snapshots == 3
    assert not [other for other in growth[1:] if "holder.items" in other.held_by]


def test_steps_give_rates():
    growth = compare(append, steps=[50, 100, 150])
    expected = growth[0].gained / 100
    assert growth[0].per_step == pytest.approx(expected, rel=0.05)
    assert growth[0].per_interval == pytest.approx(50 * expected, rel=0.05)
    with pytest.raises(leakgraph.ArgumentError, match="2 steps for 3 snapshots"):
        compare(append, calls=1, steps=[1, 2])
    with pytest.raises(leakgraph.ArgumentError, match="must ascend"):
        compare(append, calls=1, steps=[1, 3, 2])


def test_keys_and_values_are_one_row():
    def put(number):
        holder.table[f"key {number}"] = b"x" * (1000 + number)

    growth = compare(put)
    rows = [row for row in growth if "holder" in row.held_by]
    assert [row.held_by for row in rows] == [f"{__name__}.holder.table[*]"]
    assert rows[0].type == "bytes"
    assert rows[0].counts == (50, 100, 150)
    assert rows[0].gained > 100 * 1000


def test_a_bytearray_grows_in_place():
    growth = compare(lambda number: holder.blob.extend(b"x" * 1000))
    assert growth[0].held_by == f"{__name__}.holder.blob"
    assert growth[0].verdict == "grows in place"
    assert growth[0].counts == (1, 1, 1)


def test_garbage_piles_up():
    def drop(number):
        item = Item(number)
        item.itself = item

    gc.disable()
    try:
        snapshots = []
        for _ in range(3):
            for number in range(50):
                drop(number)
            snapshots.append(leakgraph.snapshot())
    finally:
        gc.enable()
    row = leakgraph.diff(*snapshots, min_bytes=2000)[0]
    assert row.verdict == "garbage piles up"
    assert row.type == f"{__name__}.Item"
    gained = [after - before for before, after in zip(row.counts, row.counts[1:])]
    assert gained == [50] * 2


def test_what_fills_up_to_a_limit_is_silent():
    def put(number):
        holder.ring.append(Item(number))
        del holder.ring[:-100]

    growth = compare(put, times=4)
    assert not [row for row in growth if "holder" in row.held_by]
    asked = compare(put, times=4, settled=True)
    assert not asked.is_growing or asked[-1].verdict == "settled"


def test_two_snapshots_cannot_tell():
    growth = compare(append, times=2)
    assert growth[0].held_by == f"{__name__}.holder.items[*]"
    assert "two snapshots cannot tell a leak" in str(growth)
    assert "Two snapshots" not in str(compare(append))


def test_snapshots_may_be_files(tmp_path):
    snapshots = grow(append)
    paths = [
        snapshot.save(tmp_path / f"{i}.lgs") for i, snapshot in enumerate(snapshots)
    ]
    growth = leakgraph.diff(*snapshots)
    again = leakgraph.diff(paths[0], snapshots[1], tmp_path / "2.lgs")
    assert str(again) == str(growth)
    assert again.json == growth.json
    assert str(snapshots[0].diff(*paths[1:])) == str(growth)


def test_a_baseline(tmp_path):
    known = tmp_path / "known.txt"
    snapshots = grow(append)
    whole = leakgraph.diff(*snapshots, min_bytes=2000)
    none = leakgraph.diff(
        *snapshots, min_bytes=2000, baseline=known, update_baseline=True
    )
    keyed = [row for row in whole if row.place]
    assert keyed and none.known == len(keyed)
    assert [row.place for row in none] == [None] * (len(whole) - len(keyed))
    assert f"growth {keyed[0].place} " in known.read_text()
    assert "that the baseline knows" in str(none)
    again = snapshots[0].diff(*snapshots[1:], min_bytes=2000, baseline=known)
    assert str(again) == str(none)


def test_summaries_are_compared_like_snapshots(tmp_path):
    snapshots = grow(append)
    paths = [
        snapshot.summary(tmp_path / f"{i}.lgsum")
        for i, snapshot in enumerate(snapshots)
    ]
    assert paths[0] == str(tmp_path / "0.lgsum")
    assert max(os.path.getsize(path) for path in paths) < 200_000
    growth = leakgraph.diff(*snapshots, min_bytes=2000)
    again = leakgraph.diff(*paths, min_bytes=2000)
    assert [row[:9] for row in again] == [row[:9] for row in growth]
    assert again[0].node is None
    mixed = leakgraph.diff(paths[0], snapshots[1], paths[2], min_bytes=2000)
    assert list(mixed) == list(again)
    newest = leakgraph.diff(*paths[:2], snapshots[2], min_bytes=2000)
    assert str(newest) == str(growth)
    (tmp_path / "0.lgsum").write_bytes((tmp_path / "1.lgsum").read_bytes()[:-1])
    with pytest.raises(leakgraph.FileError, match="damaged"):
        leakgraph.diff(*paths)


def test_a_holder_that_frees_next_to_nothing_is_not_named():
    snapshots = []
    for _ in range(4):
        small = [Item(number) for number in range(10)]
        holder.items += [bytes(90_000 + number) for number in range(40)] + small
        holder.ring += small
        del small
        snapshots.append(leakgraph.snapshot())
    growth = leakgraph.diff(*snapshots)
    assert f": empty {__name__}.holder.items\n" in str(growth)
    row = growth[0]
    assert [each.held_by for each in row.holders] == [f"{__name__}.holder.items"]
    assert row.freed.total == row.holders[0].alone.total > 40 * 4 * 90_000


def test_a_cache_that_has_some_members_of_a_leak_is_not_named():
    """Two such caches have other parts of the leak at each snapshot."""
    holder.ring = collections.deque(maxlen=30)
    snapshots = []
    for number in range(200):
        request = Item(number)
        holder.items.append(request)
        holder.table[number % 40] = request
        holder.ring.append((number, request))
        if number % 50 == 49:
            snapshots.append(leakgraph.snapshot())
    del request
    row = leakgraph.diff(*snapshots)[0]
    assert row.type.endswith("Item")
    assert [each.held_by for each in row.holders] == [f"{__name__}.holder.items"]


@pytest.mark.parametrize("make", [Item, lambda number: vars(Item(number))])
def test_what_a_cache_has_of_a_leak_is_no_row_of_its_own(make):
    """It has more and more of the leak, and more slowly."""
    snapshots = []
    chosen = random.Random(1)
    for number in range(1, 401):
        request = make(number)
        holder.items.append(request)
        holder.table[chosen.randrange(400)] = request
        del request
        if number % 80 == 0:
            snapshots.append(leakgraph.snapshot())
    (row,) = leakgraph.diff(*snapshots, min_bytes=30_000)
    assert row.held_by == f"{__name__}.holder.items[*]"
    assert (row.counts, row.degree) == ((80, 160, 240, 320, 400), "steady")
    named = sorted(each.held_by for each in row.holders)
    assert named == [f"{__name__}.holder.items", f"{__name__}.holder.table"]


def test_holders_that_all_have_the_leak_are_named():
    snapshots = []
    for number in range(200):
        request = Item(number)
        holder.items.append(request)
        holder.table[number] = (request,)
        if number % 50 == 49:
            snapshots.append(leakgraph.snapshot())
    del request
    row = leakgraph.diff(*snapshots)[0]
    named = sorted(each.held_by for each in row.holders)
    assert named == [f"{__name__}.holder.items", f"{__name__}.holder.table"]


@pytest.mark.parametrize("warm", [0, 2])
def test_a_holder_of_the_ends_of_chains_is_named(warm):
    """It has few of the members, but all that these lead to."""
    snapshots = []
    for number in range(4 + warm):
        for _ in range(3):
            before = None
            for _ in range(8):
                step, lone = Item(number), Item(number)
                step.before, step.data, lone.data = before, bytes(5_000), bytes(5_000)
                before = step
                holder.items += [step, lone]
            holder.ring.append((step,))
        if number >= warm:
            snapshots.append(leakgraph.snapshot())
    del step, before, lone
    growth = leakgraph.diff(*snapshots)
    row = growth[0]
    assert row.freed.total >= row.gained > 3 * 3 * 16 * 5_000, str(growth)
    named = sorted(each.held_by for each in row.holders)
    assert named == [f"{__name__}.holder.items", f"{__name__}.holder.ring"]


def test_a_cache_that_has_the_newest_members_is_not_named():
    """Without it, nearly all of the leak goes, if not all that grew."""
    holder.ring = collections.deque(maxlen=60)
    snapshots = []
    for number in range(200):
        request = Item(number)
        holder.items.append(request)
        holder.ring.append((number, request))
        if number % 65 == 4:
            snapshots.append(leakgraph.snapshot())
    del request
    row = leakgraph.diff(*snapshots)[0]
    assert [each.held_by for each in row.holders] == [f"{__name__}.holder.items"]


def test_a_holder_of_which_another_row_goes_is_named():
    snapshots = []
    for _ in range(4):
        shared = Item(0)
        holder.items += [bytes(90_000 + number) for number in range(40)] + [shared]
        holder.ring += [bytearray(1500 + number) for number in range(20)] + [shared]
        del shared
        snapshots.append(leakgraph.snapshot())
    growth = leakgraph.diff(*snapshots)
    named = [each.held_by for each in growth[0].holders]
    assert f"{__name__}.holder.ring" in named
    assert growth[0].type == "bytes" and "bytearray" in growth[0].text


@pytest.mark.parametrize("workers", [1, 2])
def test_a_summary_that_names_one_of_two_alike_says_so(tmp_path, workers):
    together = threading.Barrier(workers + 1)

    def work():
        kept = []
        while not together.broken:
            kept += [bytes(3000 + number) for number in range(20)]
            together.wait()
            together.wait()

    threads = [threading.Thread(target=work, daemon=True) for _ in range(workers)]
    for thread in threads:
        thread.start()
    snapshots = []
    for _ in range(4):
        together.wait()
        snapshots.append(leakgraph.snapshot())
        together.wait()
    paths = [
        snapshot.summary(tmp_path / f"{number}.lgsum")
        for number, snapshot in enumerate(snapshots)
    ]
    said = leakgraph.diff(*paths)
    whole = leakgraph.diff(*snapshots)
    together.wait()
    threading.excepthook, hook = lambda _: None, threading.excepthook
    together.abort()
    for thread in threads:
        thread.join()
    threading.excepthook = hook
    (row,) = (row for row in said if "local kept[*]" in row.held_by)
    assert ("there are 2 such containers" in row.text) == (workers == 2)
    assert "such containers" not in str(whole)
    assert str(whole).count("local kept (frees") == (2 if workers == 2 else 0)


def test_places_that_a_summary_leaves_out_are_not_new(tmp_path):
    """A file has the biggest places only; the newest snapshot has all of them."""
    wide = holder.wide = Holder()
    for number in range(9000):
        setattr(wide, f"part{number}", bytes(2100 + number // 8))
    snapshots = grow(append)
    for snapshot in snapshots[:2]:
        path = snapshot.summary(tmp_path / "part.lgsum")
        whole = leakgraph.diff(snapshot, snapshots[2], min_bytes=2000, settled=True)
        part = leakgraph.diff(path, snapshots[2], min_bytes=2000, settled=True)
        assert str(part) == str(whole)


def test_tasks_are_one_place_whatever_their_numbers():
    """asyncio numbers its tasks, also where several objects hold each."""
    import asyncio  # which would double the heap of the other tests

    loop = asyncio.new_event_loop()
    asked = loop.create_future()
    tasks = []

    async def answer():
        await asked

    def leak(number):
        tasks.append(loop.create_task(answer()))
        loop.run_until_complete(asyncio.sleep(0))

    growth = compare(leak)
    asked.set_result(None)
    loop.run_until_complete(asyncio.gather(*tasks))
    loop.close()
    (row,) = (row for row in growth if row.type == "_asyncio.Task")
    assert row.counts == (50, 100, 150)


def test_native_memory_grows(native_leak, tmp_path):
    growth = leakgraph.diff(*native_leak)
    row = next(row for row in growth if row.verdict == "native")
    assert row.gained == growth.unexplained_malloc
    assert growth.unexplained == pytest.approx(4_000_000, rel=0.1)
    assert (growth.unexplained_small is None) == FREE_THREADED
    assert abs(growth.unexplained_small or 0) < 10_000
    assert row.held_by == "memory that no object explains"
    assert row.node is None
    known = tmp_path / "known.txt"
    known.write_text(f"leakgraph baseline 1\ngrowth {row.place} a pool\n")
    rest = leakgraph.diff(*native_leak, baseline=known)
    assert rest.known == 1
    assert row.place not in [other.place for other in rest]


class Loop:
    pass


def add_cycle(number):
    one, two = Loop(), Loop()
    one.other, two.other = two, one
    one.values = [float(number)] * 50
    return one


def pile_up(calls=40, before=0):
    gc.collect()
    for number in range(before):
        add_cycle(number)
    snapshots = []
    for _ in range(3):
        for number in range(calls):
            add_cycle(number)
        snapshots.append(leakgraph.snapshot())
    return leakgraph.diff(*snapshots, min_bytes=2000)


def test_garbage_has_a_reason():
    gc.disable()
    try:
        growth = pile_up()
    finally:
        gc.enable()
    assert growth[0].verdict == "garbage piles up"
    assert growth[0].held_by == "garbage Loop"
    assert growth[0].counts[2] - growth[0].counts[1] == 80
    assert growth[0].reason == "the collector is disabled"
    assert "garbage piles up: the collector is disabled" in str(growth)
    cycle = next(each for each in growth.cycles if "Loop" in each.name)
    assert cycle.name == "Loop.other -> Loop.other -> back"
    assert cycle.detail == "collectable"
    assert cycle.counts[2] - cycle.counts[1] == 40
    assert cycle.is_growing


def test_a_threshold_of_nothing_is_a_reason():
    thresholds = gc.get_threshold()
    gc.set_threshold(0)
    try:
        assert pile_up()[0].reason == "the collector's threshold is 0"
    finally:
        gc.set_threshold(*thresholds)


def test_a_collector_that_did_not_run_is_a_reason():
    thresholds = gc.get_threshold()
    gc.set_threshold(10**6)
    try:
        assert pile_up()[0].reason == "the collector has not run"
    finally:
        gc.set_threshold(*thresholds)


def test_garbage_that_waits_for_the_collector_is_no_growth():
    thresholds = gc.get_threshold()
    gc.set_threshold(5000, 10, 10)
    try:
        growth = pile_up()
    finally:
        gc.set_threshold(*thresholds)
    assert not [row for row in growth if row.held_by == "garbage Loop"]


def grow_old(calls=1000):
    """Let more objects than the first threshold die in the oldest generation."""
    gc.collect()
    snapshots = []
    for _ in range(3):
        loops = [add_cycle(number) for number in range(calls)]
        gc.collect(1)
        del loops
        snapshots.append(leakgraph.snapshot())
    return leakgraph.diff(*snapshots, min_bytes=2000, settled=True)


def loops_of(growth):
    return [row for row in growth if row.held_by == "garbage Loop"]


@needs_generations
def test_old_garbage_waits_for_a_full_collection():
    assert [(row.verdict, row.reason) for row in loops_of(grow_old())] == [
        ("settled", "garbage that goes when the collector reaches its threshold")
    ]


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("value", [lambda: bytearray(500), lambda: [[bytes(500)]]])
def test_the_values_of_weak_keys_wait_with_them(kept, value):
    """The last key of each round is alive: most others are garbage.

    This function has the last value, too, and so no dictionary alone does.
    """
    holder.ring = weakref.WeakKeyDictionary()
    thresholds = gc.get_threshold()
    gc.collect()
    snapshots = [leakgraph.snapshot()]
    gc.set_threshold(5000, 10, 10)
    try:
        for number in range(200):
            key = holder.blob = Item(number)
            key.itself = key
            last = holder.ring[key] = value()
            if kept:
                holder.items.append(key)
            if number % 50 == 49:
                snapshots.append(leakgraph.snapshot())
    finally:
        gc.set_threshold(*thresholds)
    assert last
    growth = leakgraph.diff(*snapshots, min_bytes=2000)
    assert any(f"{__name__}.holder" in row.held_by for row in growth) is kept


@needs_generations
def test_old_garbage_piles_up_where_no_full_collection_comes():
    thresholds = gc.get_threshold()
    gc.set_threshold(thresholds[0], thresholds[1], 10**6)
    try:
        rows = loops_of(grow_old())
    finally:
        gc.set_threshold(*thresholds)
    assert [(row.verdict, row.reason) for row in rows] == [
        ("garbage piles up", "the collector has not run")
    ]


def test_garbage_has_a_reason_among_many_cycles():
    gc.disable()
    try:
        growth = pile_up(before=400)
    finally:
        gc.enable()
    assert growth[0].verdict == "garbage piles up"
    assert growth[0].reason == "the collector is disabled"


@pytest.mark.skipif(FREE_THREADED, reason="some releases do not show frozen garbage")
def test_frozen_garbage_has_a_reason():
    gc.collect()
    snapshots = []
    try:
        for _ in range(3):
            gc.disable()
            for number in range(40):
                add_cycle(number)
            gc.freeze()
            gc.enable()
            gc.collect()
            snapshots.append(leakgraph.snapshot())
    finally:
        gc.enable()
        gc.unfreeze()
    row = leakgraph.diff(*snapshots, min_bytes=2000)[0]
    assert row.verdict == "garbage piles up"
    assert row.reason == "gc.freeze() hides it from the collector"


def test_saved_garbage_has_a_reason():
    gc.collect()
    flags = gc.get_debug()
    gc.set_debug(gc.DEBUG_SAVEALL)
    snapshots = []
    try:
        for _ in range(3):
            for number in range(40):
                add_cycle(number)
            gc.collect()
            snapshots.append(leakgraph.snapshot())
    finally:
        gc.set_debug(flags)
        gc.garbage.clear()
    growth = leakgraph.diff(*snapshots, min_bytes=2000)
    row = growth[0]
    assert row.verdict == "garbage piles up"
    assert row.held_by == "gc.garbage[*]"
    assert row.reason == "gc.DEBUG_SAVEALL lets gc.garbage keep it"
    assert row.finding == "saved-garbage"
    finding = next(each for each in growth.findings if each.name == row.finding)
    assert finding.held_by == "gc.garbage"
    assert finding.gained > 0
    assert "(saved-garbage)" in str(growth)
    said = json.loads(growth.json)
    assert said["rows"][0]["finding"] == row.finding
    assert said["rows"][0]["reason"] == row.reason
    assert said["findings"][0]["counts"] == list(growth.findings[0].counts)


def test_garbage_that_native_code_holds_has_a_reason():
    held = []
    gc.collect()
    snapshots = []
    for _ in range(3):
        for _ in range(40):
            one = Loop()
            one.itself = one
            one.values = [1.0] * 50
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(one))
            held.append(id(one))
            del one
        gc.collect()
        snapshots.append(leakgraph.snapshot())
    row = leakgraph.diff(*snapshots, min_bytes=2000)[0]
    for address in held:
        ctypes.pythonapi.Py_DecRef(ctypes.cast(address, ctypes.py_object))
    assert row.type == f"{__name__}.Loop"
    assert row.counts[2] - row.counts[1] == 40


def test_threads_are_counted():
    done = threading.Event()
    snapshots = []
    for _ in range(3):
        threading.Thread(target=done.wait, name=f"waiter-{len(snapshots)}").start()
        gc.collect()
        snapshots.append(leakgraph.snapshot())
    done.set()
    growth = leakgraph.diff(*snapshots)
    row = next(row for row in growth.threads if row.name == "waiter-*")
    assert row.counts == (1, 2, 3)
    assert row.is_growing
    assert not row.is_new


def test_every_face_says_the_same():
    growth = compare(append)
    said = json.loads(growth.json)
    row = said["rows"][0]
    assert row["held_by"] == growth[0].held_by
    assert row["counts"] == list(growth[0].counts)
    assert row["bytes"] == [dict(size) for size in growth[0].bytes]
    assert said["is_growing"] is growth.is_growing
    assert said["unexplained"] == growth.unexplained
    assert [account["name"] for account in said["accounts"]] == [
        account.name for account in growth.accounts
    ]
    assert said["types"][0]["counts"] == list(growth.types[0].counts)
    assert growth[0].held_by in growth._repr_html_()
    assert growth[0].held_by in str(growth)
    assert growth.to_dicts()[0]["held_by"] == growth[0].held_by
    assert growth[:1][0] == growth[0]
    assert growth[:1].types == growth.types


def test_nothing_to_compare():
    snapshot = leakgraph.snapshot()
    with pytest.raises(leakgraph.ArgumentError, match="two snapshots or more"):
        leakgraph.diff(snapshot)
    with pytest.raises(leakgraph.ArgumentError, match="two snapshots or more"):
        snapshot.diff()
    with pytest.raises(TypeError, match="paths of their files, not int;"):
        leakgraph.diff(snapshot, 12)
    with pytest.raises(TypeError, match=r"not list; of a list, pass .*: \*snapshots"):
        leakgraph.diff([snapshot, snapshot], snapshot)
    with pytest.raises(leakgraph.FileError):
        leakgraph.diff(snapshot, "nowhere.lgs")
    growth = leakgraph.diff(snapshot, snapshot)
    assert list(growth) == []
    assert not growth.is_growing
    assert "Nothing grows." in str(growth)


def test_what_a_thread_has_in_a_threading_local_has_a_name(tmp_path):
    kept = threading.local()
    kept.first, kept.second = [], []

    def put(number):
        kept.first.append(bytes(1000 + number))
        kept.second.append(bytes(500 + number))

    snapshots = grow(put)
    summaries = [
        snapshot.summary(tmp_path / f"{number}.lgsum")
        for number, snapshot in enumerate(snapshots)
    ]
    for each in (snapshots, summaries):
        growth = leakgraph.diff(*each, min_bytes=2000)
        held = [row.held_by for row in growth if "threading.local" in row.held_by]
        assert [holder.split(" threading")[1] for holder in held] == [
            ".local.first[*]",
            ".local.second[*]",
        ]


class Profile:
    def __init__(self):
        self.picture = bytearray(6000)


class Account:
    def __init__(self, profile):
        self.profile = profile
        self.history = bytearray(5000)


def test_rows_that_took_others_over_come_before_those_that_gained_less():
    def work(number):
        holder.table[number] = Profile()
        holder.items.append(Account(holder.table[number]))
        holder.ring.append(bytearray(8000))

    first, second = compare(work)
    assert first.held_by.endswith("holder.items[*]") and first.gained > 100 * 11000
    assert second.held_by.endswith("holder.ring[*]") and second.gained < 100 * 8500
    assert (first.lead, second.lead) == (0, 1)


remembered = threading.local()


def test_a_threading_local_has_the_name_of_its_variable():
    remembered.rows = []
    snapshots = grow(lambda number: remembered.rows.append(bytes(1000 + number)))
    growth = leakgraph.diff(*snapshots, min_bytes=2000)
    name = f"threading.local {__name__}.remembered.rows"
    (row,) = [row for row in growth if row.held_by.endswith(f" {name}[*]")]
    (held,) = row.holders
    assert held.held_by == row.held_by[:-3] and f": empty {held.held_by}\n" in str(
        growth
    )
    assert "list of 150" in str(snapshots[-1].why(held.held_by))
    before = leakgraph.snapshot().analyze().reachable.host
    remembered.rows.clear()
    after = leakgraph.snapshot().analyze().reachable.host
    assert before - after == pytest.approx(row.freed.total, rel=0.1)


def test_each_of_many_threading_locals_has_the_name_of_its_variable(monkeypatch):
    module = sys.modules[__name__]
    many = [threading.local() for _ in range(300)]
    for number, local in enumerate(many):
        local.rows = [bytes(1000 + number)]
        if number % 3 == 0:
            monkeypatch.setattr(module, f"variable{number}", local, raising=False)
    snapshot = leakgraph.snapshot()
    for number, local in enumerate(many):
        name = f" {__name__}.variable{number}.rows" if number % 3 == 0 else ".rows"
        assert str(snapshot[local.rows].path).endswith(f"threading.local{name}")


class Registry(list):
    """Has an attribute besides its elements."""

    def __init__(self):
        self.model = bytearray(1 << 20)


def test_what_a_class_has_is_no_holder_of_it():
    def define(number):
        class Kind(Item):
            pass

        for name in ("short", "long"):
            holder.table.setdefault(name, []).append(Kind)

    told = str(leakgraph.diff(*grow(define)))
    assert "class test_growth.test_what_a_class_has" in told
    assert "__mro__" not in told


class Tree(ElementTree.Element):
    """Has an attribute besides its elements, too, in C."""

    def __init__(self):
        super().__init__("root")
        self.model = bytearray(1 << 20)


class Pair:
    """Holds others in two ways."""

    def __init__(self):
        self.table = {}
        self.calls = []
        self.head = None
        self.tree = Tree()
        self.registry = Registry()
        self.pools = [[], []]
        self.cached = functools.lru_cache(maxsize=None)(id)


class Session:
    """Is in a table, and behind a bound method in a list."""

    def __init__(self, number):
        self.values = bytearray(2000 + number % 7)

    def reload(self):
        pass


class View:
    """Draws a session, with parts that refer back to it."""

    def __init__(self, session):
        self.session = session
        self.locator = types.SimpleNamespace(axis=session)
        self.ticks = [types.SimpleNamespace(axis=session) for _ in range(2)]
        session.view = self


class Link:
    def __init__(self, then):
        self.then = then
        self.values = bytearray(2000)


def in_two(pair, number):
    pair.table[number] = session = Session(number)
    pair.calls.append(session.reload)


def in_records(pair, number):
    pair.calls.append({"session": Session(number), "number": number})


def behind_parts(pair, number):
    pair.table[number] = session = Session(number)
    pair.calls.append(types.SimpleNamespace(local_view=View(session)))


def in_a_chain(pair, _):
    pair.head = Link(pair.head)


def in_lists(pair, number):
    pair.calls.append([Session(number), number])


def in_wrappers(pair, number):
    session = Session(number)
    pair.table[number] = session, number
    pair.calls.append((str(number), session))


def in_an_element(pair, number):
    ElementTree.SubElement(pair.tree, "item").attrib["session"] = Session(number)


def in_a_registry(pair, number):
    pair.registry.append(Session(number))


def in_pools(pair, number):
    pair.pools[number % 2].append(Session(number))


def in_a_cache(pair, number):
    pair.cached(Session(number))


LEAKS = {
    in_a_cache: ("cached", Session),
    in_two: ("table", "calls", Session),
    behind_parts: ("table", "calls", Session),
    in_records: ("calls", Session),
    in_lists: ("calls", Session),
    in_wrappers: ("table", "calls", Session),
    in_an_element: ("tree", Session),
    in_a_registry: ("registry", Session),
    in_a_chain: ("head", Link),
    in_pools: ("pools[0]", "pools[1]", Session),
}


def let_go(pair, name):
    held = eval(f"pair.{name}")
    if name == "head":
        pair.head = None
    elif name == "cached":
        held.cache_clear()
    else:
        held.clear()


def count(wanted):
    gc.collect()
    return sum(type(one) is wanted for one in gc.get_objects())


@pytest.mark.parametrize("leak", LEAKS)
def test_what_is_told_to_free_it_does(leak):
    pair = holder.pair = Pair()
    *names, kept = LEAKS[leak]
    growth = compare(lambda number: leak(pair, number))
    lead = growth[0]
    assert lead.lead == 0
    assert {row.lead for row in growth if "pair" in row.held_by} == {0}
    assert len(lead.holders) == len(names)
    for held in lead.holders:
        (name,) = [name for name in names if f"pair.{name}" in held.held_by]
        assert (held.alone.total < 0.6 * lead.freed.total) == (len(names) > 1)
    assert lead.freed.total > 150 * 2000
    before = leakgraph.snapshot().analyze().reachable.host
    for index, name in enumerate(names):
        # Of two pools, each has its own half.
        assert count(kept) >= (75 if index and leak is in_pools else 150), index
        let_go(pair, name)
    assert count(kept) == 0
    after = leakgraph.snapshot().analyze().reachable.host
    assert before - after == pytest.approx(lead.freed.total, rel=0.1)
    assert "frees" in str(growth) or len(names) == 1


def test_what_gained_little_beside_its_leak_is_part_of_it():
    def work(number):
        item = Item(number)
        item.values *= 20
        holder.items.append(item)
        if number >= 100 or number % 5 == 0:
            item.part = Item(number)
            holder.ring.append(item.part)

    growth = compare(work)
    (row,) = [row for row in growth if "holder" in row.held_by]
    assert row.held_by == f"{__name__}.holder.items[*]"


def test_what_abstract_classes_remember_of_classes_goes_with_these():
    holder.ring = [type("Kind", (abc.ABC,), {}) for _ in range(6)]

    def work(number):
        model = type("Model", (), {"__doc__": "d" * 1000})
        holder.items.append(model)
        assert not any(issubclass(model, each) for each in holder.ring)

    (row,) = [row for row in compare(work) if "holder" in row.held_by]
    assert row.held_by == f"{__name__}.holder.items[*]"


def test_weak_references_to_what_else_is_kept_do_not_go_with_a_leak():
    def work(number):
        holder.items.append(bytearray(500))
        holder.ring += [weakref.ref(work, print), weakref.ref(holder, print)]

    held = [row.held_by for row in compare(work) if "holder" in row.held_by]
    assert sorted(held) == [
        f"{__name__}.holder.items[*]",
        f"{__name__}.holder.ring[*]",
    ]


@pytest.mark.parametrize("size", [10, 2000])
def test_weak_references_that_their_callbacks_leave_in_a_list_are_a_leak(size):
    """They outlive what they refer to."""

    def work(number):
        holder.items.append(Item(number))
        for _ in range(8):
            buffer = bytearray(size)
            holder.ring.append(
                weakref.ref(holder.items[-1], lambda _, kept=buffer: None)
            )

    held = [row.held_by for row in compare(work) if "holder" in row.held_by]
    assert sorted(held) == [
        f"{__name__}.holder.items[*]",
        f"{__name__}.holder.ring[*]",
    ]


@pytest.mark.parametrize("others", [0, 200])
def test_weak_references_that_a_method_takes_out_of_its_table_go_with_a_leak(others):
    class Watcher:
        def __init__(self):
            for number in range(others):
                setattr(self, f"other_{number}", [number])
            self.references = set()

        def watch(self, item):
            for _ in range(3):
                self.references.add(weakref.ref(item, self.forget))

        def forget(self, reference):
            self.references.discard(reference)

    holder.pair = Watcher()

    def work(number):
        holder.items.append(Item(number))
        holder.pair.watch(holder.items[-1])

    (row,) = [row for row in compare(work) if "holder" in row.held_by]
    assert row.held_by == f"{__name__}.holder.items[*]"


@pytest.mark.parametrize(("calls", "rows"), [(50, 0), (400, 1)])
def test_what_pandas_forgets_at_five_hundred_does_not_grow_before(calls, rows):
    module = {"__module__": "pandas._libs.internals"}
    holder.table = type("BlockValuesRefs", (), module)()
    holder.table.referenced_blocks = []
    growth = compare(
        lambda number: holder.table.referenced_blocks.append(weakref.ref(Item(number))),
        calls=calls,
    )
    assert sum("referenced_blocks" in row.held_by for row in growth) == rows


#: To leakgraph, this is torch.nn.Module.
Module = type("Module", (), {"__module__": "torch.nn.modules.module"})


def add_mask(number):
    holder.table._buffers[f"mask_{number}"] = Item(number)


@pytest.mark.parametrize("twice", [False, True])
def test_buffers_of_a_module_are_not_named_after_one_of_them(twice):
    holder.table = Module()
    holder.table._buffers = {}
    holder.table.others = holder.table._buffers if twice else None
    (row,) = [row for row in compare(add_mask) if row.type.endswith("Item")]
    assert row.held_by == f"{__name__}.holder.table._buffers[*]"


def test_a_buffer_of_a_module_that_grows_in_place_has_its_name():
    holder.table = Module()
    holder.table._buffers = {"keys": bytearray(), "values": bytearray()}
    growth = compare(lambda _: holder.table._buffers["keys"].extend(bytes(500)))
    (row,) = [row for row in growth if "holder" in row.held_by]
    assert row.held_by == f"{__name__}.holder.table.keys"


def test_a_weak_dictionary_is_the_holder_and_not_the_dict_inside():
    holder.ring = weakref.WeakKeyDictionary()

    def keep(number):
        key = Item(number)
        holder.ring[key] = [key, bytearray(500)]

    growth = compare(keep)
    row = next(row for row in growth if "ring" in row.held_by)
    (held,) = row.holders
    assert held.held_by == f"{__name__}.holder.ring"
    assert f"empty {__name__}.holder.ring\n" in str(growth)


class Registered(weakref.WeakValueDictionary):
    def __init__(self):
        super().__init__()
        self.strong = []


class Buffer(io.BytesIO):
    def __init__(self):
        super().__init__()
        self.strong = []


@pytest.mark.parametrize("kind", [Registered, Buffer])
def test_what_a_subclass_of_these_keeps_besides_is_its_own(kind):
    holder.ring = kind()
    growth = compare(lambda number: holder.ring.strong.append(Item(number)))
    row = next(row for row in growth if "ring" in row.held_by)
    assert [held.held_by for held in row.holders] == [f"{__name__}.holder.ring.strong"]


def test_a_buffer_is_the_holder_and_not_the_bytes_inside():
    holder.ring = io.BytesIO()
    growth = compare(lambda _: holder.ring.write(bytes(500)))
    row = next(row for row in growth if "ring" in row.held_by)
    assert [held.held_by for held in row.holders] == [f"{__name__}.holder.ring"]


class Pool(concurrent.futures.ThreadPoolExecutor):
    pass


def pooled(task, kind=concurrent.futures.ThreadPoolExecutor):
    executor = kind(1)
    executor.submit(task).result()
    return executor


def let_pools_go():
    executors = [pool[0] if isinstance(pool, tuple) else pool for pool in holder.items]
    threads = [thread for executor in executors for thread in executor._threads]
    holder.items.clear()
    del executors
    for thread in threads:
        thread.join()


def test_executors_of_a_subclass_are_one_row_with_their_threads():
    growth = compare(lambda _: holder.items.append(pooled(int, Pool)), calls=8)
    (row,) = [row for row in growth if "Pool" in row.text or "hread" in row.text]
    let_pools_go()
    assert [held.held_by for held in row.holders] == [f"{__name__}.holder.items"]
    assert "holder.items; their threads end then, and free the rest" in str(growth)


@pytest.mark.parametrize("keep", [lambda pool: pool, lambda pool: (pool, 1)])
def test_executors_in_a_list_are_one_row_with_their_threads(keep):
    growth = compare(lambda _: holder.items.append(keep(pooled(int))), calls=8)
    words = ("xecutor", "hread", "_worker", "lock")
    (row,) = [row for row in growth if any(word in row.text for word in words)]
    assert row.held_by == f"{__name__}.holder.items[*]"
    assert "ThreadPoolExecutor" in row.text and "Thread" in row.text
    assert [held.held_by for held in row.holders] == [f"{__name__}.holder.items"]
    assert "holder.items; their threads end then, and free the rest" in str(growth)
    before = leakgraph.snapshot().analyze().reachable.host
    let_pools_go()
    after = leakgraph.snapshot().analyze().reachable.host
    assert before - after >= row.freed.total > 0


@pytest.mark.parametrize("held", [[], ["twice"]])
def test_summaries_tell_executors_with_their_threads_as_snapshots_do(
    isolated, tmp_path, held
):
    done = isolated("pools.py", tmp_path, *held)
    assert done.code == 0, done.err
    for line in done.out.splitlines():
        *heaps, (held_by, text) = json.loads(line)
        assert held_by == "__main__.executors[*]"
        # Each thread of a free-threaded build has a heap, which grows with it.
        assert len(heaps) <= FREE_THREADED
        assert [row[0] for row in heaps] == [held_by] * len(heaps)
        assert "ThreadPoolExecutor accumulates with " in text


def test_threads_in_the_middle_of_tasks_do_not_end_with_their_executors():
    done = threading.Event()
    started = threading.Semaphore(0)

    def task():
        started.release()
        done.wait()

    def start(_):
        executor = concurrent.futures.ThreadPoolExecutor(1)
        executor.submit(task)
        started.acquire()
        holder.items.append(executor)

    try:
        growth = compare(start, calls=8)
    finally:
        done.set()
        let_pools_go()
    assert "their threads end" not in str(growth)
    assert any("hread" in row.type for row in growth)


def test_what_the_main_thread_has_is_no_table_of_threads():
    thread = threading.main_thread()
    thread.seen = []
    done = threading.Event()
    started = []

    def start(_):
        started.append(threading.Thread(target=done.wait))
        started[-1].start()
        thread.seen += [None] * 20

    try:
        growth = compare(start, calls=8)
    finally:
        done.set()
        for one in started:
            one.join()
        del thread.seen
    assert [row.verdict for row in growth if ".seen" in row.held_by] == [
        "grows in place"
    ]


def test_locks_of_multiprocessing_are_told_by_what_keeps_them():
    import multiprocessing.util

    context = multiprocessing.get_context("fork")
    growth = compare(lambda _: holder.items.append((context.Lock(), context.Lock())))
    (row,) = [row for row in growth if row.gained > 4096]
    assert row.held_by == f"{__name__}.holder.items[*]"
    registry = multiprocessing.util._afterfork_registry
    assert len(registry) >= 300
    before = leakgraph.snapshot().analyze().reachable.host
    holder.items.clear()
    gc.collect()
    after = leakgraph.snapshot().analyze().reachable.host
    assert before - after >= row.freed.total and before - after >= row.gained


def test_classes_that_fill_a_cache_do_not_pile_up_as_subclasses():
    def make(_):
        class Local:
            pass

        return typing.List[Local]  # noqa: UP006

    growth = compare(make, calls=8)
    assert not [row for row in growth if "__subclasses__" in row.held_by]
    assert not [row for row in growth if "Local" in row.text and row.degree == "steady"]


class Slice:
    """A view of a session, which C code keeps, too."""

    def __init__(self, session):
        self.base = session


def test_what_something_else_holds_too_is_not_promised(tmp_path):
    ctypes = pytest.importorskip("ctypes")
    pair = holder.pair = Pair()

    def put(number):
        session = Session(number)
        pair.calls.append(Slice(session))
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(session))

    snapshots = grow(put)
    growth = leakgraph.diff(*snapshots)
    for each in pair.calls:
        ctypes.pythonapi.Py_DecRef(ctypes.py_object(each.base))
    (row,) = [row for row in growth if row.held_by.endswith("pair.calls[*]")]
    assert row.freed.total * 10 < row.bytes[-1].total
    assert str(growth).count("something else holds the rest, too") == 1
    path = tmp_path / "page.html"
    snapshots[-1].report(path, earlier=snapshots[:-1])
    said = f"Something else holds most of it, too: to let go here frees {row.freed}."
    assert said in path.read_text("utf-8")


def test_elements_of_an_object_of_c_are_one_row_that_can_be_asked_for():
    root = holder.root = ElementTree.Element("root")

    def put(number):
        ElementTree.SubElement(root, "item", {"text": "x" * 2000 + str(number)})

    snapshots = grow(put)
    growth = leakgraph.diff(*snapshots, min_bytes=2000)
    (row,) = growth
    assert row.held_by == f"{__name__}.holder.root[*]"
    assert f": empty {__name__}.holder.root\n" in str(growth)
    assert snapshots[-1].why(row.held_by).node.type_name.endswith("Element")


@pytest.mark.parametrize(("count", "more"), [(5, ""), (7, " and 3 more\n")])
def test_of_many_holders_the_most_are_told(count, more):
    lists = holder.table = types.SimpleNamespace()
    names = [f"list_{number}" for number in range(count)]
    vars(lists).update({name: [] for name in names})

    def put(number):
        item = Item(number)
        for name in names:
            getattr(lists, name).append(item)

    said = str(compare(put))
    told = sum(f"table.{name} (frees" in said for name in names)
    assert told == (4 if more else count)
    assert more in said and (more or " more\n" not in said)


class Inner:
    """Has parts by name, as a module of a network has."""

    def __init__(self):
        self.parts = {}


class Outer(Inner):
    pass


def test_dicts_of_objects_of_other_classes_are_other_places():
    holder.table["model"] = Outer()
    holder.table["model"].parts["inner"] = Inner()
    for number in range(40):
        holder.table["model"].parts[f"other {number}"] = bytearray(10)

    def put(number):
        holder.table["model"].parts["inner"].parts[number] = bytearray(3000)

    growth = compare(put)
    assert growth[0].held_by.endswith(".parts[*].parts[*]")
    assert growth[0].counts == (50, 100, 150)


def test_a_tree_of_one_class_is_one_place():
    holder.table["tree"] = Inner()
    holder.table["tree"].parts["branch"] = Inner()

    def put(number):
        tree = holder.table["tree"]
        part = Inner()
        part.values = bytearray(2000)
        (tree if number % 2 else tree.parts["branch"]).parts[number] = part

    growth = compare(put)
    # The tree itself, and its branch, are of that place, too.
    assert growth[0].counts == (52, 102, 152)


def test_modules_with_names_of_their_own_are_one_row(tmp_path):
    def load(number):
        module = types.ModuleType(f"plugin_{number}")
        exec("class Plugin: pass", module.__dict__)
        module.values = bytearray(2000)
        sys.modules[module.__name__] = module

    try:
        snapshots = grow(load)
    finally:
        for name in [name for name in sys.modules if name.startswith("plugin_")]:
            del sys.modules[name]
    summaries = [
        snapshot.summary(tmp_path / f"{number}.lgsum")
        for number, snapshot in enumerate(snapshots)
    ]
    for each in (snapshots, summaries):
        growth = leakgraph.diff(*each, min_bytes=2000)
        assert sum("plugin_" in row.text for row in growth) == 1
        first = growth[0]
        assert (first.held_by, first.type) == ("sys.modules[*]", "module")
        assert first.counts == (50, 100, 150)
        assert "module plugin_" in first.text and "or similar" in first.text
        assert first.gained > 100 * 3000


def test_the_rate_of_a_set_that_quadruples():
    holder.ring = set()
    steps, own, snapshots = (60, 70, 80, 90), [], []
    for step in steps:
        known = len(holder.ring)
        holder.ring.update(map(float, range(known, step)))
        own.append(sys.getsizeof(holder.ring))
        snapshots.append(leakgraph.snapshot())
    growth = leakgraph.diff(*snapshots, steps=steps)
    (row,) = [row for row in growth if "ring" in row.held_by]
    full = min(size / step for size, step in zip(own, steps))
    each = (own[-1] - own[0]) / (steps[-1] - steps[0])
    assert each > 2.5 * full
    number = sys.getsizeof(0.0)
    assert row.per_step == pytest.approx(min(each, 4 * full) + number, rel=0.02)
