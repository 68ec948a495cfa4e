"""A finding says whether it grows, and how fast."""

import gc
import os
import re
import weakref

import pytest

import leakgraph

pytestmark = [pytest.mark.ends, pytest.mark.small]


class Bus:
    def __init__(self):
        self.listeners = []


class View:
    def __init__(self):
        self.pixels = bytearray(9000)

    def draw(self):
        pass


def read():
    block = bytearray(9000)
    yield block


def test_verdicts_of_findings():
    bus, readers, snapshots = Bus(), Bus(), []
    bus.listeners += [View().draw for _ in range(20)]
    for _ in range(3):
        for _ in range(20):
            readers.listeners.append(read())
            next(readers.listeners[-1])
        snapshots.append(leakgraph.snapshot())
    growth = leakgraph.diff(*snapshots, steps=[0, 10, 20])
    found = {one.name: one for one in growth.findings}
    growing, still = found["unfinished-generators"], found["event-handlers"]
    assert (growing.is_growing, growing.counts) == (True, (20, 40, 60))
    assert (still.is_growing, still.counts, still.gained) == (False, (20,) * 3, 0)
    (row,) = [row for row in growth if row.finding == "unfinished-generators"]
    (finding,) = [one for one in snapshots[-1].findings() if one.pattern == row.finding]
    assert row.fix == finding.fix
    assert f" ({row.finding}), 20 → 40 → 60 objects, " in row.text
    rate = leakgraph.Size({"host": round(row.per_step)})
    text = str(growth)
    grows, stays = text.split("\nFindings that do not grow:\n")
    assert f"local readers.listeners, +{rate} per step\n" in grows
    assert "finding event-handlers" not in grows
    assert re.search(r" 20 +finding event-handlers: .*\.listeners\n", stays)
    assert "unfinished-generators" not in stays
    assert "Findings that do not grow" in growth._repr_html_()


def test_the_rate_of_a_finding_begins_with_the_first_snapshot_that_has_it():
    readers, snapshots = Bus(), []
    for more in (4, 20, 20):
        for _ in range(more):
            readers.listeners.append(read())
            next(readers.listeners[-1])
        snapshots.append(leakgraph.snapshot())
    growth = leakgraph.diff(*snapshots, steps=[0, 10, 20])
    (found,) = [one for one in growth.findings if one.name == "unfinished-generators"]
    assert found.counts == (0, 24, 44)
    rate = leakgraph.Size({"host": (found.bytes[2].host - found.bytes[1].host) // 10})
    assert f"listeners, +{rate} per step since step 10\n" in str(growth)


def test_what_grows_inside_what_a_finding_keeps():
    bus, snapshots = Bus(), []
    bus.listeners += [View().draw for _ in range(20)]
    for view in bus.listeners:
        view.__self__.log = []
    for _ in range(3):
        for view in bus.listeners:
            view.__self__.log += [bytes(3000 + n) for n in range(5)]
        del view
        snapshots.append(leakgraph.snapshot())
    growth = leakgraph.diff(*snapshots)
    row = growth[0]
    assert row.finding == "event-handlers" and "Remove the handler" in row.fix


BUS = Bus()
#: Lists that several hold, as the one of BUS is below.
SHARED = [[[n] for n in range(50)]]
SHARED.append(list(SHARED[0]))


def test_a_finding_of_a_list_that_several_hold_is_named_after_that_list():
    add, snapshots = BUS.listeners.append, []
    for _ in range(3):
        for _ in range(20):
            reader = read()
            next(reader)
            add(reader)
        snapshots.append(leakgraph.snapshot())
    growth = leakgraph.diff(*snapshots)
    BUS.listeners.clear()
    (row,) = [row for row in growth if row.finding == "unfinished-generators"]
    assert row.held_by == f"{__name__}.BUS.listeners[*]"
    listeners = row.held_by.removesuffix("[*]")
    assert f" finding unfinished-generators: {listeners}, " in str(growth)


class Failure(Exception):
    pass


class Job:
    def __init__(self):
        self.failure = failed()


def failed():
    block = bytearray(9000)
    try:
        raise Failure(len(block))
    except Failure as error:
        return error


WORK = Bus()
WORK.by_number = {}


def emptying_frees_all(failures):
    """Empty both containers in a fork, and look whether the failures are gone."""
    child = os.fork()
    if child == 0:
        WORK.listeners.clear()
        WORK.by_number.clear()
        gc.collect()
        os._exit(any(failure() is not None for failure in failures))
    return os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("make", [failed, Job])
def test_a_finding_names_the_containers_that_the_row_of_its_growth_names(make):
    """Two containers share half of what accumulates, as it is or in other objects."""
    snapshots, failures = [], []
    for number in range(60):
        made = make()
        failures.append(weakref.ref(getattr(made, "failure", made)))
        WORK.listeners.append(made)
        if number % 2:
            WORK.by_number[number] = made
        del made
        if number % 20 == 19:
            snapshots.append(leakgraph.snapshot())
    with snapshots[-1] as last:
        found = [f for f in last.findings() if f.pattern == "exception-traceback"]
        (finding,) = [f for f in found if f.holder == last.find(WORK.listeners)]
        names = [holder.held_by.split("  ")[0] for holder in finding.holders]
        growth = str(leakgraph.diff(*snapshots))
    assert names == [f"{__name__}.WORK.{name}" for name in ("listeners", "by_number")]
    assert finding.count == 60
    assert [holder.count for holder in finding.holders] == [60, 30]
    (to_empty,) = re.findall(r"\n +free +[^\n]*: empty ([^\n]*WORK[^\n]*)\n", growth)
    assert set(re.findall(rf"{__name__}\.WORK\.\w+", to_empty)) == set(names)
    assert emptying_frees_all(failures)
    WORK.listeners.clear()
    WORK.by_number.clear()


def test_none_of_them():
    gc.collect()  # garbage of other tests may be a finding
    snapshot = leakgraph.snapshot()
    assert "Findings that do not grow" not in str(leakgraph.diff(snapshot, snapshot))
