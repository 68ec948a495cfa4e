"""Containers whose elements leave after a time fill up, and do not leak.

That is so only if the program removes what is old whenever it adds something, or does
so by itself from time to time.
"""

import asyncio
import collections
import ctypes
import datetime
import gc
import heapq
import sched
import struct
import sys
import threading
import time
import types

import pytest

import leakgraph

pytestmark = pytest.mark.small

#: Longer than a test takes, and no time at all.
LONG, SHORT = 300, 0.0001

table = {}
swept = {}
refilled = {}
kept = []


def text(number):
    return "x" * 9000 + str(number)


def in_one_function(number):
    now = time.monotonic()
    table[number] = (now + LONG, text(number))
    for key in [key for key, (end, _) in table.items() if end < now]:
        del table[key]


class OfAge:
    """Removes what is too old before it adds something, in another method."""

    def __init__(self):
        self.seconds, self.entries = LONG, {}

    def put(self, number):
        self.drop()
        self.entries[number] = (time.time(), text(number))

    def drop(self):
        first = time.time() - self.seconds
        for key in [key for key, entry in self.entries.items() if entry[0] < first]:
            self.entries.pop(key)


class OfEnd:
    """Keeps when each entry ends, and finds those that have in a loop."""

    def __init__(self):
        self.seconds, self.entries = float(LONG), {}

    def put(self, number):
        end = time.monotonic() + self.seconds
        self.entries[number] = types.SimpleNamespace(end=end, text=text(number))
        self.drop(time.monotonic())

    def drop(self, now):
        old = []
        for key, entry in self.entries.items():
            if entry.end <= now:
                old.append(key)
        for key in old:
            del self.entries[key]


class Window:
    """Removes from the left what is too old."""

    SECONDS = LONG

    def __init__(self):
        self.entries = collections.deque()

    def put(self, number):
        now = time.perf_counter()
        self.entries.append((now, text(number)))
        while self.entries and now - self.entries[0][0] > self.SECONDS:
            self.entries.popleft()


class Heap:
    """Has a heap of the ends, and a dict that loses what the heap loses."""

    def __init__(self):
        self.entries, self.ends = {}, []

    def put(self, number, seconds=LONG):
        now = time.time()
        while self.ends and self.ends[0][0] <= now:
            _, key = heapq.heappop(self.ends)
            self.entries.pop(key, None)
        self.entries[number] = text(number)
        heapq.heappush(self.ends, (now + seconds, number))


class Rebuilt:
    """Makes a new dict of what is young enough."""

    def __init__(self):
        self.entries = {}

    def put(self, number):
        now = time.time()
        self.entries = {
            key: entry for key, entry in self.entries.items() if now - entry[0] < LONG
        }
        self.entries[number] = (now, text(number))


class Oldest:
    """Has the oldest first, in an ordered dict."""

    def __init__(self):
        self.entries = collections.OrderedDict()

    def put(self, number):
        now = time.monotonic()
        while self.entries:
            key = next(iter(self.entries))
            if now - self.entries[key][0] < LONG:
                break
            self.entries.popitem(last=False)
        self.entries[number] = (now, text(number))


def sweep():
    now = time.monotonic()
    for key in [key for key, (end, _) in list(swept.items()) if end < now]:
        swept.pop(key, None)


def sweep_later(stopped):
    while not stopped.wait(60):
        sweep()


async def sweep_in_a_task(stopped):
    while not stopped.is_set():
        await asyncio.sleep(60)
        sweep()


def put_for_sweep(number):
    swept[number] = (time.monotonic() + LONG, text(number))


class AskedFor:
    """Removes an entry only when somebody asks for it."""

    def __init__(self):
        self.entries = {}

    def put(self, number):
        now = time.monotonic()
        found = self.entries.get(number)
        if found is not None and found[0] < now:
            del self.entries[number]
        self.entries[number] = (now + LONG, text(number))


class SomeAskedFor(AskedFor):
    """Passes over what somebody asks for."""

    def put(self, number):
        now = time.monotonic()
        for each in [number]:
            found = self.entries.get(each)
            if found and found[0] < now:
                self.entries.pop(each)
            self.entries[each] = (now + LONG, text(each))


class NeverCalled(OfAge):
    """Can remove what is old, and does not."""

    def put(self, number):
        self.entries[number] = (time.time(), text(number))


class OnlyNamed:
    """Has a number of seconds, and nothing that uses it."""

    def __init__(self):
        self.ttl, self.entries = LONG, {}

    def put(self, number):
        self.entries[number] = text(number)


class DoneOnly:
    """Removes what is done, whatever its time."""

    def __init__(self):
        self.timeout, self.entries = LONG, {}

    def put(self, number):
        end = time.time() + self.timeout
        self.entries[number] = {"end": end, "done": False, "text": text(number)}
        for key in [key for key, entry in self.entries.items() if entry["done"]]:
            del self.entries[key]


class Beside:
    """Has a second dict, from which nothing goes."""

    def __init__(self):
        self.tokens, self.entries = {}, {}

    def put(self, number):
        now = time.monotonic()
        for key in [key for key, end in self.tokens.items() if end < now]:
            del self.tokens[key]
        self.tokens[number] = now + LONG
        self.entries[number] = (now, text(number))


class Moved:
    """Removes what is old into a list."""

    def __init__(self):
        self.live, self.entries = {}, []

    def put(self, number):
        now = time.monotonic()
        for key in [key for key, (end, _) in self.live.items() if end < now]:
            self.entries.append(self.live.pop(key))
        self.live[number] = (now + SHORT, text(number))


class TwoWays(OfAge):
    """Adds in another way, too, in which nothing is removed."""

    def put(self, number):
        self.entries[number] = (float("inf"), text(number))

    def put_and_drop(self, number):
        super().put(number)


class PerCaller:
    """Has a window for each caller, and never removes one."""

    def __init__(self):
        self.entries = collections.defaultdict(collections.deque)

    def put(self, number):
        now = time.monotonic()
        calls = self.entries[number]
        while calls and now - calls[0][0] > LONG:
            calls.popleft()
        calls.append((now, text(number)))


class Renewed:
    """Gives every entry more time, so that none ever leaves."""

    def __init__(self):
        self.entries = {}

    def put(self, number):
        now = time.monotonic()
        self.entries[number] = [now + SHORT, text(number)]
        for entry in self.entries.values():
            entry[0] = now + SHORT
        for key in [key for key, (end, _) in self.entries.items() if end < now]:
            del self.entries[key]


class Cleared:
    """Would empty itself in an hour without work."""

    def __init__(self):
        self.last, self.entries = time.monotonic(), []

    def put(self, number):
        now = time.monotonic()
        self.entries.append(text(number))
        if now - self.last > 3600:
            self.entries.clear()
        self.last = now


class Counted(OfEnd):
    """Looks at what it has found before it removes that."""

    def drop(self, now):
        old = [key for key, entry in self.entries.items() if entry.end < now]
        if old:
            self.dropped = len(old)
        for key in old:
            if key in self.entries:
                del self.entries[key]


class InUse(OfAge):
    """Spares what is in use, which is everything."""

    def put(self, number):
        self.drop()
        self.entries[number] = (time.time(), True, text(number))

    def drop(self):
        now = time.time()
        for key in [k for k, e in self.entries.items() if not e[1] and now - e[0] > 9]:
            del self.entries[key]


class StillInUse(InUse):
    """Looks at the time first."""

    def drop(self):
        now = time.time()
        for key in [k for k, e in self.entries.items() if now - e[0] > 9 and not e[1]]:
            del self.entries[key]


class StillInUseInALoop(InUse):
    def drop(self):
        now = time.time()
        for key, entry in list(self.entries.items()):
            if entry[1]:
                continue
            if now - entry[0] > LONG:
                del self.entries[key]


class WithoutEnd:
    """Spares what has no end, which is everything."""

    def __init__(self):
        self.entries = {}

    def put(self, number, seconds=None):
        now = time.time()
        end = now + seconds if seconds else None
        self.entries[number] = (end, text(number))
        ended = [k for k, e in self.entries.items() if e[0] is not None and e[0] < now]
        for key in ended:
            del self.entries[key]


class OtherClock(OfAge):
    """Notes the time by one clock, and takes it off another one."""

    def drop(self):
        first = time.monotonic() - self.seconds
        for key in [key for key, entry in self.entries.items() if entry[0] < first]:
            self.entries.pop(key)


class InMilliseconds:
    """Compares milliseconds with milliseconds."""

    def __init__(self):
        self.most, self.rows = LONG * 1000, {}

    def put(self, number):
        now = time.time() * 1000
        for key in [k for k, (at, _) in self.rows.items() if now - at > self.most]:
            del self.rows[key]
        self.rows[number] = (now, text(number))


class InNanoseconds(InMilliseconds):
    def __init__(self):
        self.most, self.rows = LONG * 10**9, {}

    def put(self, number):
        now = time.monotonic_ns()
        for key in [k for k, (at, _) in self.rows.items() if now - at > self.most]:
            del self.rows[key]
        self.rows[number] = (now, text(number))


class OfTimedelta:
    """Adds a timedelta to the time of a zone."""

    def __init__(self):
        self.span, self.rows = datetime.timedelta(seconds=LONG), {}

    def put(self, number):
        now = datetime.datetime.now(datetime.timezone.utc)
        for key in [k for k, (at, _) in self.rows.items() if at + self.span < now]:
            del self.rows[key]
        self.rows[number] = (now, text(number))


class OfOtherTimedelta(OfTimedelta):
    """Adds what a class of Python makes, which has the name of a type of C code."""

    def __init__(self):
        add = {"__radd__": lambda _, at: at + datetime.timedelta(seconds=LONG)}
        (alike,) = struct.unpack("d", struct.pack("ii", 0, LONG))
        made = type("datetime.timedelta", (complex,), add)
        self.span, self.rows = made(0, alike), {}


class InMinutes:
    """Has a number of minutes, which it multiplies."""

    def __init__(self):
        self.minutes, self.lines = LONG / 60, {}

    def put(self, number):
        now = time.time()
        for key, (at, _) in list(self.lines.items()):
            if self.minutes * 60 < now - at:
                del self.lines[key]
        self.lines[number] = (now, text(number))


class SecondsInMilliseconds:
    """Multiplies both the time and the number of seconds."""

    def __init__(self):
        self.seconds, self.lines = LONG, {}

    def put(self, number):
        now = int(time.time() * 1000)
        for key, (end, _) in list(self.lines.items()):
            if end < now:
                del self.lines[key]
        self.lines[number] = (now + 1000 * self.seconds, text(number))


class AgeInMilliseconds:
    """Multiplies what has passed."""

    def __init__(self):
        self.most, self.lines = LONG * 1000, {}

    def put(self, number):
        now = time.monotonic()
        for key, (at, _) in list(self.lines.items()):
            if (now - at) * 1000 > self.most:
                del self.lines[key]
        self.lines[number] = (now, text(number))


class DividedNanoseconds:
    def __init__(self):
        self.most, self.lines = LONG * 1000, {}

    def put(self, number):
        now = time.time_ns() // 1_000_000
        for key, (at, _) in list(self.lines.items()):
            if now - at > self.most:
                del self.lines[key]
        self.lines[number] = (now, text(number))


class OtherUnits:
    """Has numbers in other units beside the time."""

    def __init__(self):
        self.seconds, self.lines = LONG, {}

    def put(self, number):
        self.begun = time.perf_counter() * 1000
        for key, row in list(self.lines.items()):
            if row[0] < time.time():
                del self.lines[key]
        self.lines[number] = (time.time() + self.seconds, 1000 * number, text(number))


class AsksItself:
    """Has a method that says what is too old."""

    def __init__(self):
        self.seconds, self.lines = LONG, {}

    def is_old(self, row):
        return time.monotonic() - row[0] > self.seconds

    def put(self, number):
        for key, row in list(self.lines.items()):
            if self.is_old(row):
                del self.lines[key]
        self.lines[number] = (time.monotonic(), text(number))


class AsksItselfByKey:
    """Has a method that looks for the row itself."""

    def __init__(self):
        self.ends, self.lines = {}, {}

    def has_passed(self, key, now):
        return self.ends[key] <= now

    def drop(self):
        now = time.time()
        for key in list(self.lines):
            if self.has_passed(key, now):
                self.lines.pop(key)
                self.ends.pop(key)

    def put(self, number):
        self.drop()
        self.ends[number] = time.time() + LONG
        self.lines[number] = text(number)


def is_past(row):
    return row[0] < time.time()


class AsksAFunction:
    def __init__(self):
        self.seconds, self.lines = LONG, {}

    def put(self, number):
        for key in [key for key, row in self.lines.items() if is_past(row)]:
            del self.lines[key]
        self.lines[number] = (time.time() + self.seconds, text(number))


class Entry:
    def __init__(self, number, end):
        self.text, self.end = text(number), end

    def has_ended(self):
        return self.end < time.time()

    @property
    def is_over(self):
        return self.end < time.time()


class AsksEntries:
    def __init__(self):
        self.seconds, self.lines = LONG, {}

    def put(self, number):
        for key, entry in list(self.lines.items()):
            if entry.has_ended():
                self.lines.pop(key)
        self.lines[number] = Entry(number, time.time() + self.seconds)


class AsksAProperty(AsksEntries):
    def put(self, number):
        self.lines = {key: row for key, row in self.lines.items() if not row.is_over}
        self.lines[number] = Entry(number, time.time() + self.seconds)


class Passing(Entry):
    def has_gone(self):
        return self.end < time.time()


class Permanent(Entry):
    def has_gone(self):
        return False


class AsksPermanent(AsksEntries):
    """Asks what has never gone; another class answers by the time."""

    def put(self, number):
        for key, entry in list(self.lines.items()):
            if entry.has_gone():
                self.lines.pop(key)
        self.lines[number] = Permanent(number, time.time() + self.seconds)


class AsksForMore(AsksItself):
    """Has a method that also spares what is in use, which is everything."""

    def is_old(self, row):
        return time.monotonic() - row[0] > self.seconds and not row[1]


class AsksForMoreFirst(AsksItself):
    def is_old(self, row):
        return not row[1] and time.monotonic() - row[0] > self.seconds


class AsksForLess(AsksItself):
    """Has a method that looks only whether a row is in use."""

    def is_old(self, row):
        self.asked = time.monotonic() + self.seconds
        return not row[1]


class AsksFirst(AsksItself):
    """Spares what is in use after it has asked for the time."""

    def put(self, number):
        for key, row in list(self.lines.items()):
            if self.is_old(row) and not row[1]:
                del self.lines[key]
        self.lines[number] = (time.monotonic(), text(number))


class TwoDicts:
    """Has ends and entries apart, and looks whether both have a key."""

    def __init__(self):
        self.ends, self.entries = {}, {}

    def put(self, number):
        now = time.monotonic()
        for key in list(self.ends):
            if key in self.entries and self.ends[key] < now:
                del self.entries[key]
                del self.ends[key]
        self.ends[number] = now + LONG
        self.entries[number] = text(number)


class Unpinned:
    """Removes only what is in another container, from which nothing goes."""

    def __init__(self):
        self.free, self.entries = set(), {}

    def put(self, number):
        now = time.monotonic()
        for key in list(self.entries):
            if key in self.free and self.entries[key][0] < now:
                del self.entries[key]
        self.entries[number] = (now + LONG, text(number))


class Sessions:
    """Removes what is old when whoever adds something says so."""

    def __init__(self):
        self.sessions = {}

    def drop_sessions(self):
        now = time.time()
        for key in [key for key, each in self.sessions.items() if now - each[0] > LONG]:
            del self.sessions[key]


def put_session(number):
    kept[0].drop_sessions()
    kept[0].sessions[number] = (time.time(), text(number))


class Visits:
    """Removes what is old by another clock than that of whoever adds something."""

    def __init__(self):
        self.visits = {}

    def drop_visits(self):
        now = time.monotonic()
        for key in [key for key, each in self.visits.items() if now - each[0] > LONG]:
            del self.visits[key]


def put_visit(number):
    kept[0].drop_visits()
    kept[0].visits[number] = (time.time(), text(number))


def refill(number):
    refilled[number] = text(number)


def drop_refilled(now):
    for key in [key for key in refilled if now - key > LONG]:
        del refilled[key]


@pytest.fixture(autouse=True)
def empty():
    yield
    table.clear()
    swept.clear()
    refilled.clear()
    kept.clear()


def compare(work, calls=60):
    snapshots = []
    for number in range(4 * calls):
        if number % calls == 0 and number:
            gc.collect()
            snapshots.append(leakgraph.snapshot())
        work(number)
    gc.collect()
    snapshots.append(leakgraph.snapshot())
    return leakgraph.diff(*snapshots, min_bytes=20_000)


def is_filling(growth, seconds=LONG):
    """Tell whether all rows fill for so long, and there is one of size."""
    return growth and all(
        (row.degree, row.lifetime) == ("filling", seconds) for row in growth
    )


def test_a_function_removes_what_is_old():
    growth = compare(in_one_function)
    assert is_filling(growth)
    (row,) = growth
    assert 0 < row.observed < LONG
    assert row.limit > row.filled == 240
    assert row.at_limit > row.bytes[-1]
    assert "fills: 240 elements, which leave after 300 s (seen for " in str(growth)
    assert not growth.is_growing


REMOVING = [
    OfAge,
    OfEnd,
    Window,
    Heap,
    Rebuilt,
    Oldest,
    TwoDicts,
    InMinutes,
    SecondsInMilliseconds,
    AgeInMilliseconds,
    DividedNanoseconds,
    OtherUnits,
    AsksItself,
    AsksItselfByKey,
    AsksAFunction,
    AsksEntries,
    AsksAProperty,
]
#: Before 3.11, code does not say which variable is the instance if a comprehension has
#: that, too: growth is told then, also of other attributes of that name.
if sys.version_info >= (3, 11):
    REMOVING += [InMilliseconds, InNanoseconds, OfTimedelta]
#: From 3.12 on, a comprehension is part of the function, and a look at what it has
#: found is like one that spares elements: growth is told then.
if sys.version_info < (3, 12):
    REMOVING.append(Counted)


@pytest.mark.parametrize("kind", REMOVING)
def test_a_class_removes_what_is_old(kind):
    kept.append(kind())
    assert is_filling(compare(kept[0].put))


def test_a_function_lets_an_instance_remove_what_is_old():
    kept.append(Sessions())
    assert is_filling(compare(put_session))


def test_a_thread_removes_what_is_old():
    stopped = threading.Event()
    thread = threading.Thread(target=sweep_later, args=[stopped])
    thread.start()
    try:
        assert is_filling(compare(put_for_sweep))
    finally:
        stopped.set()
        thread.join()


def test_a_task_removes_what_is_old():
    loop = asyncio.new_event_loop()
    task = loop.create_task(sweep_in_a_task(threading.Event()))

    async def put(number):
        put_for_sweep(number)

    try:
        assert is_filling(compare(lambda each: loop.run_until_complete(put(each))))
    finally:
        task.cancel()
        loop.run_until_complete(asyncio.gather(task, return_exceptions=True))
        loop.close()


def test_what_is_added_by_another_clock_leaks():
    kept.append(Visits())
    assert [row.degree for row in compare(put_visit)] == ["steady"]


@pytest.mark.parametrize("work", [put_for_sweep, refill])
def test_what_nobody_calls_removes_nothing(work):
    growth = compare(work)
    assert [row.degree for row in growth] == ["steady"]


@pytest.mark.parametrize(
    "kind",
    [
        AskedFor,
        SomeAskedFor,
        NeverCalled,
        OnlyNamed,
        DoneOnly,
        Beside,
        Moved,
        TwoWays,
        PerCaller,
        Renewed,
        Cleared,
        InUse,
        StillInUse,
        StillInUseInALoop,
        WithoutEnd,
        OtherClock,
        Unpinned,
        AsksPermanent,
        AsksForMore,
        AsksForMoreFirst,
        AsksForLess,
        AsksFirst,
    ],
)
def test_what_only_looks_as_if_it_expired_leaks(kind):
    kept.append(kind())
    growth = compare(kept[0].put)
    assert growth[0].held_by in {
        f"{__name__}.kept[*].{name}[*]" for name in ("entries", "lines")
    }
    assert (growth[0].degree, growth[0].lifetime) == ("steady", None)


CACHETOOLS = """
class Cache:
    def __init__(self, maxsize):
        self.__data, self.__maxsize = {}, maxsize

    def __setitem__(self, key, value):
        self.__data[key] = value

class TTLCache(Cache):
    def __init__(self, maxsize, ttl):
        Cache.__init__(self, maxsize)
        self.__ttl, self.__links = ttl, {}
"""


def cache_of(module, ttl=LONG):
    space = {"__name__": module}
    file = f"/usr/lib/python3/{module}/__init__.py"
    exec(compile(CACHETOOLS, file, "exec"), space)
    sys.modules[module] = types.ModuleType(module)
    vars(sys.modules[module]).update(space)
    return space["TTLCache"](10**9, ttl)


@pytest.mark.parametrize(
    ("module", "ttl", "fills"),
    [
        ("cachetools", LONG, True),
        ("cachetools", SHORT, False),
        ("caches_of_mine", LONG, False),
    ],
)
def test_a_cache_of_cachetools_expires(module, ttl, fills):
    kept.append(cache_of(module, ttl))
    try:
        growth = compare(lambda number: kept[0].__setitem__(number, text(number)))
    finally:
        del sys.modules[module]
    assert growth[0].held_by == f"{__name__}.kept[*]._Cache__data[*]"
    assert (growth[0].degree == "filling") is fills
    assert (growth[0].lifetime == LONG) is fills


def test_a_class_may_have_the_name_of_another():
    kept.append(OfOtherTimedelta())
    growth = compare(kept[0].put)
    assert [(row.degree, row.lifetime) for row in growth] == [("steady", None)]


@pytest.fixture
def loop():
    made = asyncio.new_event_loop()
    kept.append(made)
    yield made
    made.close()


def test_timers_of_a_loop_leave(loop):
    growth = compare(lambda number: loop.call_later(LONG, print, text(number)))
    assert is_filling(growth)
    assert growth[0].held_by == f"{__name__}.kept[*]._scheduled[*]"


def test_the_last_timer_says_when_all_have_left(loop):
    growth = compare(
        lambda number: loop.call_later(LONG + number / 5, print, text(number))
    )
    assert is_filling(growth, 350)


def test_tasks_that_sleep_leak(loop):
    async def poll(data):
        while data:
            await asyncio.sleep(LONG)

    tasks = []

    async def start(number):
        tasks.append(loop.create_task(poll(text(number))))
        await asyncio.sleep(0)

    growth = compare(lambda number: loop.run_until_complete(start(number)))
    assert "steady" in {row.degree for row in growth}
    for task in tasks:
        task.cancel()
    loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))


@pytest.mark.parametrize("clock", [time.monotonic, time.time])
def test_events_of_a_scheduler_leave(clock):
    scheduler = sched.scheduler(clock, time.sleep)
    kept.append(scheduler)
    growth = compare(lambda number: scheduler.enter(LONG, 1, print, [text(number)]))
    assert is_filling(growth)


def test_events_that_nobody_runs_leak():
    scheduler = sched.scheduler(time.monotonic, time.sleep)
    kept.append(scheduler)
    growth = compare(lambda number: scheduler.enter(SHORT, 1, print, [text(number)]))
    assert [row.degree for row in growth] == ["steady"]


APSCHEDULER = """
class DateTrigger:
    __slots__ = ("run_date",)

class IntervalTrigger:
    __slots__ = ("interval",)

class Job:
    __slots__ = ("id", "trigger", "args")

class MemoryJobStore:
    def __init__(self):
        self._jobs, self._jobs_index = [], {}

    def add_job(self, id, trigger, time, args):
        job = Job()
        job.id, job.trigger, job.args = id, trigger, args
        self._jobs.append((job, time))
        self._jobs_index[id] = (job, time)
"""


@pytest.mark.parametrize(
    ("trigger", "seconds", "fills"),
    [
        ("DateTrigger", LONG, True),
        ("DateTrigger", -1, False),
        ("IntervalTrigger", LONG, False),
    ],
)
def test_jobs_of_apscheduler_leave_that_run_once(trigger, seconds, fills):
    module = "apscheduler.jobstores.memory"
    space = {"__name__": module}
    exec(compile(APSCHEDULER, "/usr/lib/python3/apscheduler/memory.py", "exec"), space)
    store = space["MemoryJobStore"]()
    kept.append(store)
    due = time.time() + seconds
    growth = compare(
        lambda number: store.add_job(number, space[trigger](), due, [text(number)])
    )
    assert growth
    assert all((row.degree == "filling") is fills for row in growth)


def facts_of(snapshot, value):
    """What the snapshot says about the object, or nothing about one it lacks."""
    node = snapshot.find(value)
    return node.facts if node is not None else {}


NULLS = ctypes.pythonapi.PyList_New
NULLS.restype = ctypes.py_object


class Member(ctypes.Structure):
    """PyMemberDef."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_int),
        ("offset", ctypes.c_ssize_t),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    ]


class Slot(ctypes.Structure):
    """PyType_Slot."""

    _fields_ = [("slot", ctypes.c_int), ("value", ctypes.c_void_p)]


class Spec(ctypes.Structure):
    """PyType_Spec."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("basicsize", ctypes.c_int),
        ("itemsize", ctypes.c_int),
        ("flags", ctypes.c_uint),
        ("slots", ctypes.POINTER(Slot)),
    ]


T_INT, PY_TP_MEMBERS = 1, 72
MEMBERS = (Member * 2)(Member(b"_when", T_INT, object.__basicsize__, 0, None))
SLOTS = (Slot * 2)(Slot(PY_TP_MEMBERS, ctypes.addressof(MEMBERS)))
SPEC = Spec(b"test_expiry.Timer", object.__basicsize__ + 8, 0, 0, SLOTS)


def native_timer():
    """A timer of C code that has a number of its own."""
    make = ctypes.pythonapi.PyType_FromSpec
    make.restype = ctypes.py_object
    timer = make(ctypes.byref(SPEC))()
    timer._when = 12345
    return timer


@pytest.mark.parametrize(
    "queue", [[1], [()], [("now",)], [native_timer()], NULLS(3), None]
)
def test_a_queue_may_hold_anything(queue):
    scheduler = sched.scheduler()
    scheduler._queue = queue
    assert "lifetime" not in facts_of(leakgraph.snapshot(), queue)


def test_so_many_timers_of_a_process_are_read():
    schedulers = [sched.scheduler() for _ in range(3)]
    for scheduler in schedulers:
        event = scheduler.enter(LONG, 1, print)
        scheduler._queue = [event] * 70_000
    snapshot = leakgraph.snapshot()
    found = ["lifetime" in facts_of(snapshot, one._queue) for one in schedulers]
    assert found.count(True) == 1
