"""Code that takes a container's length says what bounds it.

It removes elements where there are more, or adds some only where there are fewer.
"""

import collections
import functools
import gc
import heapq
import sys
import typing

import pytest

import leakgraph

pytestmark = pytest.mark.small

#: How many elements the containers of this file keep.
MOST = 400

#: Calls in all that a test makes: none of the containers is full by then.
CALLS = 240

by_variable = collections.OrderedDict()
by_constant = {}
by_index = []
by_heap = []
cut_at_once = {}
while_room = []
#: Another module may have a container, too.
also_here = by_constant


def entry(number):
    return {"id": number, "text": "x" * 900 + str(number)}


def keep_by_variable(number):
    by_variable[number] = entry(number)
    if len(by_variable) > MOST:
        by_variable.popitem(last=False)


def keep_by_constant(number):
    by_constant[number] = entry(number)
    while len(by_constant) > 400:
        by_constant.pop(next(iter(by_constant)))


def keep_by_index(number):
    by_index.append(entry(number))
    if len(by_index) > MOST:
        del by_index[0]


def keep_by_heap(number):
    if len(by_heap) < MOST:
        heapq.heappush(by_heap, (number, "x" * 900 + str(number)))
    else:
        heapq.heappushpop(by_heap, (number, "x" * 900 + str(number)))


def keep_until_full(number):
    cut_at_once[number] = entry(number)
    if len(cut_at_once) >= MOST:
        cut_at_once.clear()


def keep_while_room(number):
    if len(while_room) < MOST:
        while_room.append(entry(number))


def keep_by_default(number, seen={}, most=MOST):  # noqa: B006
    seen[number] = entry(number)
    if len(seen) > most:
        seen.pop(min(seen))


def keep_by_keyword(number, *, seen={}, most=MOST):  # noqa: B006
    seen[number] = entry(number)
    if len(seen) > most:
        seen.pop(min(seen))


def remembered(most):
    """Keep the results of a function, as a decorator with a number."""

    def wrap(function):
        table = {}

        @functools.wraps(function)
        def call(key):
            if key not in table:
                table[key] = function(key)
                if len(table) > most:
                    table.pop(next(iter(table)))
            return table[key]

        return call

    return wrap


keep_by_closure = remembered(MOST)(lambda number: entry(number))


class Attribute:
    """Has the number in an attribute whose name says nothing."""

    def __init__(self):
        self.room = MOST
        self.hits = 0
        self.entries = collections.OrderedDict()

    def put(self, number):
        self.entries[number] = entry(number)
        if len(self.entries) > self.room:
            self.entries.popitem(last=False)


class Variable:
    """Has the number in the class."""

    ROOM = MOST

    def __init__(self):
        self.entries = {}
        self.ages = {}

    def put(self, number):
        self.entries[number] = entry(number)
        self.ages[number] = float(number)
        self.drop()

    def drop(self):
        while len(self.entries) > self.ROOM:
            oldest = min(self.ages, key=self.ages.get)
            del self.entries[oldest], self.ages[oldest]


class Sliced:
    """Makes a new list of the newest."""

    def __init__(self):
        self.entries = []

    def put(self, number):
        self.entries.append(entry(number))
        if len(self.entries) > MOST:
            self.entries = self.entries[-MOST:]


class Itself(collections.OrderedDict):
    """Is the container."""

    def __init__(self):
        super().__init__()
        self.room = MOST

    def put(self, number):
        self[number] = entry(number)
        if len(self) > self.room:
            self.popitem(last=False)


class OfTheClass:
    """Has the container in the class."""

    entries: typing.ClassVar[dict] = {}

    @classmethod
    def put(cls, number):
        cls.entries[number] = entry(number)
        if len(cls.entries) > MOST:
            cls.entries.pop(min(cls.entries))

    @staticmethod
    def clear():
        OfTheClass.entries.clear()


class Room:
    """Compares in the other order, and removes after an early return."""

    def __init__(self):
        self.entries = {}

    def put(self, number):
        self.entries[number] = entry(number)
        if MOST >= len(self.entries):  # noqa: SIM300
            return
        for oldest in list(self.entries)[: len(self.entries) - MOST]:
            del self.entries[oldest]


class Ring:
    """Has all its slots from the beginning."""

    def __init__(self):
        self.slots = [None] * MOST

    def put(self, number):
        self.slots[number % MOST] = entry(number)


class Pool:
    """Keeps what is given back while there is room."""

    def __init__(self):
        self.room, self.spare = MOST, []
        for number in range(3):
            self.spare.append(entry(number))

    def put(self, number):
        if number is not None and len(self.spare) < self.room:
            self.spare.append(entry(number))


class Memo:
    """Remembers results until it is full."""

    def __init__(self):
        self.room, self.results = MOST, {}

    def put(self, number):
        if len(self.results) >= self.room:
            return
        self.results[number] = entry(number)

    def get(self, number):
        return number in self.results and self.results[number]

    def names(self):
        return sorted(self.results), len(self.results)


class Heap(Attribute):
    """Has a heap, which two methods fill in the same way."""

    def __init__(self):
        super().__init__()
        self.queue = []

    def put(self, number):
        if len(self.queue) < self.room:
            heapq.heappush(self.queue, (number, entry(number)["text"]))

    def put_first(self, number):
        while len(self.queue) < self.room:
            heapq.heappush(self.queue, (-number, ""))

    def take(self):
        for _ in self.queue:
            heapq.heappop(self.queue)


class WrongKey(Attribute):
    """Removes what it does not have."""

    def put(self, number):
        self.room = 20
        self.entries[number] = entry(number)
        if len(self.entries) > self.room:
            self.entries.pop(("old", number), None)


class Beside(Attribute):
    """Has a list without a limit, too."""

    def __init__(self):
        super().__init__()
        self.room, self.log = 20, []

    def put(self, number):
        super().put(number)
        self.log.append(entry(number))


class Unlimited:
    """Has entries that nothing removes, whatever its code looks like."""

    def __init__(self):
        self.entries, self.others, self.waiting = {}, {}, []
        self.room, self.counted = 1000, 0

    def put(self, number):
        self.entries[number] = entry(number)


class Logged(Unlimited):
    """Takes the length for a message, with the first entries."""

    def put(self, number):
        super().put(number)
        if len(self.entries) > 1000:
            print(list(self.entries)[:3])


class Compared(Unlimited):
    """Removes from another container."""

    def put(self, number):
        super().put(number)
        self.waiting.append(number)
        if len(self.entries) > self.room:
            self.waiting.clear()


class Text(Unlimited):
    """Takes the length of a text, and a part of it."""

    def put(self, number):
        super().put(number)
        text = str(number)
        if len(text) > self.room:
            text = text[: self.room]
        self.waiting = text


class Neighbour(Unlimited):
    """Has another container with a limit."""

    def put(self, number):
        super().put(number)
        self.others[number] = number
        if len(self.others) > self.room:
            self.others.popitem()


class Registry(Unlimited):
    """Removes on request, and counts."""

    port = 8080

    def remove(self, number):
        self.entries.pop(number)
        return len(self.entries), self.port


class Warned(Unlimited):
    """Removes on request, and complains about many."""

    def remove(self, number):
        if len(self.entries) > self.room:
            self.counted += 1
        self.entries.pop(number)


class WarnedOfFew(Unlimited):
    """Removes on request, while there are few."""

    def remove(self, number):
        if len(self.entries) < self.room:
            self.entries.pop(number)


class Doubled(Unlimited):
    """Makes more room when it is full."""

    def put(self, number):
        super().put(number)
        if len(self.entries) >= self.room:
            self.room *= 2
        if len(self.entries) > self.room:
            self.entries.popitem()


class Widened(Unlimited):
    """Makes more room each time, elsewhere."""

    def put(self, number):
        super().put(number)
        self.widen()
        if len(self.entries) > self.room:
            self.entries.popitem()

    def widen(self):
        self.room += 1


class Replaced(Attribute):
    """Replaces the method that removes."""

    def put(self, number):
        self.entries[number] = entry(number)


class OrAnyway(Unlimited):
    """Adds where there is room, and in another case."""

    def put(self, number):
        if number >= 0 or len(self.entries) < self.room:
            self.entries[number] = entry(number)


class UnlessClosed(Unlimited):
    """Returns only if something else is true, too."""

    closed = False

    def put(self, number):
        if self.closed and len(self.entries) >= self.room:
            return
        self.entries[number] = entry(number)


class GivenBack(Unlimited):
    """Keeps a few ready, and all that is given back."""

    def prepare(self, number):
        if len(self.waiting) < self.room:
            self.waiting.append(entry(number))

    def put(self, number):
        self.waiting.append(entry(number))


class GivenBackElsewhere(GivenBack):
    """Takes more than the class that it is derived from."""

    def put(self, number):
        self.waiting += [entry(number)]


class Both(Unlimited):
    """Adds where there is room, and once more."""

    def put(self, number):
        if len(self.entries) < self.room:
            self.entries[number] = entry(number)
        self.entries[-number] = entry(number)


class MoreRoom(Unlimited):
    """Makes more room where there is none."""

    def put(self, number):
        if len(self.entries) < self.room:
            self.entries[number] = entry(number)
        else:
            self.room *= 2


class PerTenant(Unlimited):
    """Bounds the many dicts, and not their number."""

    def put(self, number):
        entries = self.entries.setdefault(number, {})
        entries[number] = entry(number)
        if len(entries) > 400:
            entries.popitem()


class Emptied(Unlimited):
    """Removes one by one, without a number, for another container."""

    def put(self, number):
        self.waiting.append(number)
        self.room = 1000
        while len(self.waiting) > 0:
            self.entries[number] = entry(self.waiting.pop())


class Moved:
    """Empties one list into another one."""

    def __init__(self):
        self.waiting, self.done = [], []

    def put(self, number):
        self.waiting.append(entry(number))
        if len(self.waiting) >= 25:
            self.done.extend(self.waiting)
            self.waiting.clear()


waiting = collections.deque()
done = []
ready = []


def prepare(number):
    if len(ready) < MOST:
        ready.append(entry(number))


def give_back(number):
    ready.append(entry(number))


def move(number):
    waiting.append(number)
    while len(waiting) > 1000:
        waiting.popleft()
    waiting.popleft()
    done.append(entry(number))


class OfOthers:
    """Has an unlimited dict beside one with a limit, both held by another list."""

    def __init__(self):
        self.dicts = [{}, by_variable]
        self.also = self.dicts[:1]

    def put(self, number):
        self.dicts[0][number] = entry(number)


functions = [
    keep_by_variable,
    keep_by_constant,
    keep_by_index,
    keep_by_heap,
    keep_until_full,
    keep_while_room,
    keep_by_default,
    keep_by_keyword,
    keep_by_closure,
    OfTheClass.put,
]
kept = []


@pytest.fixture(autouse=True)
def empty():
    yield
    while_room.clear()
    lists = (by_index, by_heap, ready, kept)
    for each in (by_variable, by_constant, cut_at_once, *lists):
        each.clear()
    keep_by_default.__defaults__[0].clear()
    keep_by_keyword.__kwdefaults__["seen"].clear()
    keep_by_closure.__closure__[2].cell_contents.clear()
    OfTheClass.clear()


def compare(work):
    snapshots = []
    for number in range(CALLS):
        if number % (CALLS // 4) == 0 and number:
            gc.collect()
            snapshots.append(leakgraph.snapshot())
        work(number)
    gc.collect()
    snapshots.append(leakgraph.snapshot())
    return snapshots, leakgraph.diff(*snapshots, min_bytes=20_000)


@pytest.mark.parametrize(("most", "is_told"), [(1 << 17, True), (1 << 10, False)])
def test_what_will_have_much_when_it_is_full_has_a_row(most, is_told):
    """However little it has so far."""
    kept.append(functools.lru_cache(maxsize=most)(entry))
    _, growth = compare(kept[0])
    assert [(row.degree, row.limit) for row in growth] == [("filling", most)] * is_told


@pytest.mark.parametrize("work", functions, ids=lambda work: work.__qualname__)
def test_the_code_of_a_function_bounds_what_it_fills(work):
    _, growth = compare(work)
    assert [str(row) for row in growth if __name__ in row.held_by] == []
    assert growth.settled > 0


@pytest.mark.parametrize(
    "kind", [Attribute, Variable, Sliced, Itself, Room, Ring, Pool, Memo, Heap]
)
def test_the_methods_of_a_class_bound_what_they_fill(kind):
    kept.append(kind())
    _, growth = compare(kept[0].put)
    assert [row.held_by for row in growth] == []
    assert growth.settled > 0


@pytest.mark.parametrize(
    "kind, holder",
    [
        (WrongKey, "entries[*]"),
        (Beside, "log[*]"),
        (Logged, "entries[*]"),
        (Compared, "entries[*]"),
        (Text, "entries[*]"),
        (Neighbour, "entries[*]"),
        (Registry, "entries[*]"),
        (Warned, "entries[*]"),
        (WarnedOfFew, "entries[*]"),
        (Doubled, "entries[*]"),
        (Widened, "entries[*]"),
        (Replaced, "entries[*]"),
        (OrAnyway, "entries[*]"),
        (UnlessClosed, "entries[*]"),
        (GivenBack, "waiting[*]"),
        (GivenBackElsewhere, "waiting[*]"),
        (Both, "entries[*]"),
        (MoreRoom, "entries[*]"),
        (PerTenant, "entries[*]"),
        (Emptied, "entries[*]"),
        (Moved, "done[*]"),
    ],
)
def test_what_only_looks_bounded_leaks(kind, holder):
    kept.append(kind())
    _, growth = compare(kept[0].put)
    assert growth[0].held_by.startswith(f"{__name__}.kept[*].{holder}")
    assert growth[0].degree in ("steady", "in bursts")


def test_what_is_filled_from_a_container_with_a_limit_leaks():
    _, growth = compare(move)
    done.clear()
    assert [row.held_by for row in growth] == [f"{__name__}.done[*]"]


def test_what_another_function_fills_without_a_limit_leaks():
    _, growth = compare(give_back)
    assert [row.held_by for row in growth] == [f"{__name__}.ready[*]"]


POOL = """
class Pool:
    MOST = 100000

    def __init__(self):
        self.spare = []
        {begin}

    def give(self, one):
        if len(self.spare) < self.MOST:
            self.spare.append(one)

    @property
    def idle(self):
        {property}

    def put(self, one):
        {method}

def fill(to, one):
    to.append(one)

shared = []

def share(one):
    if len(shared) < 100000:
        shared.append(one)

def make():
    inner = []

    def give(one):
        if len(inner) < 100000:
            inner.append(one)

    def put(one):
        {closure}

    return give, put

def others(pool, one):
    {function}

pool = Pool()
give, put = make()
"""

OTHERS = """
import pooled
from pooled import shared

class Server:
    def __init__(self):
        self.pool = pooled.pool

    def put(self, one):
        {method}
"""


def make_pools(**parts):
    """Return the names of a module that adds to lists while there is room.

    Code of others that is garbage would count until the collector frees it.
    """
    gc.collect()
    holes = dict.fromkeys(
        ["begin", "property", "method", "closure", "function"], "pass"
    )
    space = {"__name__": "pooled"}
    code = compile(POOL.format(**{**holes, **parts}), "/srv/shop/pooled.py", "exec")
    exec(code, space)
    for number in range(9):
        for give in (space["pool"].give, space["share"], space["give"]):
            give(number)
    return space


def bounds_of(space):
    with leakgraph.snapshot() as snapshot:
        inner = space["give"].__closure__[0].cell_contents
        lists = (vars(space["pool"])["spare"], space["shared"], inner)
        return [snapshot.find(each).facts.get("maxlen") for each in lists]


def test_what_only_its_own_code_fills_while_there_is_room_is_bounded():
    space = make_pools(
        property="return len(self.spare), self.spare[0], self.MOST in self.spare",
        method="self.spare.remove(one); self.spare.clear()",
        closure="return inner[0] if inner else sorted(inner), inner.pop()",
        function="return [len(pool.spare), *pool.spare, pool.spare.index(one)]",
    )
    assert bounds_of(space) == 3 * ["100000"]


@pytest.mark.parametrize(
    ("hole", "code", "at"),
    [
        ("begin", "self.add = self.spare.append", 0),
        ("begin", "self.also = self.spare", 0),
        ("property", "return self.spare", 0),
        ("method", "spare = self.spare; spare.append(one)", 0),
        ("method", "fill(self.spare, one)", 0),
        ("method", "fill(self.spare, [one, len(str(one))])", 0),
        ("method", "list.append(getattr(self, 'spare'), one)", 0),
        ("method", "self.by_name['spare'] = self.spare", 0),
        ("closure", "inner.append(one)", 2),
        ("closure", "inner[:0] = [one]; return inner", 2),
        ("function", "pool.spare.append(one)", 0),
        ("function", "pool.spare[one] = one", 0),
    ],
)
def test_what_other_code_may_add_to_has_no_bound(hole, code, at):
    bounds = ["100000"] * 3
    bounds[at] = None
    assert bounds_of(make_pools(**{hole: code})) == bounds


@pytest.mark.skipif(
    not hasattr(sys, "monitoring"), reason="sys.monitoring came with Python 3.12"
)
def test_what_code_hands_out_while_a_tool_watches_has_no_bound():
    space = make_pools(property="return self.spare")
    code = vars(space["Pool"])["idle"].fget.__code__
    monitoring, tool = sys.monitoring, sys.monitoring.PROFILER_ID
    monitoring.use_tool_id(tool, "test")
    monitoring.set_local_events(tool, code, monitoring.events.PY_RETURN)
    try:
        assert space["pool"].idle
        assert bounds_of(space) == [None, "100000", "100000"]
    finally:
        monitoring.free_tool_id(tool)


@pytest.mark.parametrize(
    ("code", "at"),
    [
        ("self.pool.spare.append(one)", 0),
        ("shared.append(one)", 1),
        ("pooled.shared.append(one)", 1),
    ],
)
def test_what_another_module_may_add_to_has_no_bound(code, at):
    space = make_pools()
    other = compile(OTHERS.format(method=code), "/srv/shop/server.py", "exec")
    kept.append(other)
    bounds = ["100000"] * 3
    bounds[at] = None
    assert bounds_of(space) == bounds


def test_code_that_is_garbage_counts_until_the_collector_frees_it():
    """A finaliser may still run it. Only the collector knows what is garbage."""
    garbage = make_pools(property="return self.spare")
    space = make_pools()
    gc.disable()
    try:
        del garbage
        assert bounds_of(space) == [None, "100000", "100000"]
    finally:
        gc.enable()
    gc.collect()
    assert bounds_of(space) == 3 * ["100000"]


def test_a_container_that_something_else_holds_is_bounded():
    kept.append(Attribute())
    kept.append(kept[0].entries.clear)
    _, growth = compare(kept[0].put)
    assert [row.held_by for row in growth] == []


def test_a_dict_without_a_limit_leaks_beside_one_with_a_limit():
    kept.append(OfOthers())

    def work(number):
        kept[0].put(number)
        keep_by_variable(number)

    _, growth = compare(work)
    assert growth[0].degree == "steady"


def test_the_code_of_libraries_is_not_read():
    code = (
        "def keep(n):\n    held[n] = n\n    if len(held) > 400:\n        held.clear()"
    )
    spaces = []
    for folder in ("/srv/shop", "/usr/lib/python3.11", "/srv/env/site-packages"):
        spaces.append({"held": {1: 1}})
        exec(compile(code, f"{folder}/cache.py", "exec"), spaces[-1])
    with leakgraph.snapshot() as snapshot:
        facts = [snapshot.find(space["held"]).facts for space in spaces]
    assert [each.get("maxlen") for each in facts] == ["400", None, None]


def test_the_number_is_a_fact():
    kept.append(Attribute())
    for each in (*functions, kept[0].put):
        each(0)
    snapshot = leakgraph.snapshot()
    bounded = [by_variable, by_constant, by_index, by_heap, OfTheClass.entries]
    assert [snapshot.find(each).facts["maxlen"] for each in bounded] == 5 * ["400"]
    assert snapshot.find(kept[0].entries).facts["maxlen"] == "400"


PROGRAM = """
import collections, leakgraph
cache, other = collections.OrderedDict(), {}
snapshots = ()
for number in range(200):
    cache[number] = ["x" * 900 + str(number)]
    if len(cache) > 400:
        cache.popitem(last=False)
    if number % 50 == 49:
        snapshots += (leakgraph.snapshot(),)
print([row.held_by for row in leakgraph.diff(*snapshots, min_bytes=2000)])
"""


def test_a_script_bounds_what_its_own_code_fills(python):
    assert python("-c", PROGRAM).out == "[]\n"
