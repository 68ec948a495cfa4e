"""Containers that keep only so many elements fill up, and do not leak."""

import collections
import functools
import gc
import os
import queue
import re
import sys
import types

import pytest

import leakgraph

pytestmark = [pytest.mark.ends, pytest.mark.small]


class Log(collections.deque):
    """A deque of the program's own."""


class Entry:
    def __init__(self, number):
        self.values = [float(number)] * 20


class Indexed(collections.deque):
    """A deque with a limit, beside an index without one."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.seen = []

    def append(self, entry):
        super().append(entry)
        self.seen.append(entry)


class Recent(collections.OrderedDict):
    """Drops its oldest entries."""

    def __init__(self, capacity):
        super().__init__()
        self.capacity = capacity

    def put(self, number, entry):
        self[number] = entry
        while len(self) > self.capacity:
            self.popitem(last=False)


class Owner:
    def __init__(self):
        self.kept = None
        self.also = None


owner = Owner()


@pytest.fixture(autouse=True)
def fresh():
    yield
    owner.__init__()


def compare(work, times, calls=50, **options):
    snapshots = []
    for round_ in range(times):
        for call in range(calls):
            work(round_ * calls + call)
        gc.collect()
        snapshots.append(leakgraph.snapshot())
    return snapshots, leakgraph.diff(*snapshots, min_bytes=2000, **options)


def places(growth):
    return [row.held_by for row in growth if "owner.kept" in row.held_by]


@pytest.mark.parametrize("times", [2, 3, 5])
@pytest.mark.parametrize("kind", [collections.deque, Log])
def test_a_deque_below_its_maxlen_fills(kind, times):
    owner.kept = kind(maxlen=1000)
    _, growth = compare(lambda n: owner.kept.append(Entry(n)), times)
    assert places(growth) == []
    assert growth.settled > 0
    assert "1 place has settled or fills up to a limit" in str(growth)


def test_the_first_line_says_that_what_fills_has_a_limit():
    owner.kept = collections.deque(maxlen=2000)
    snapshots, growth = compare(lambda n: owner.kept.append(Entry(n)), 4, 500)
    said = str(growth)
    assert said.startswith("Nothing grows without a limit; 1 place fills: +")
    assert "Entry fills: 2,000 of 2,000, " in said
    full = leakgraph.diff(*snapshots, leakgraph.snapshot(), min_bytes=2000)
    assert str(full).startswith("Nothing goes on growing; 1 place grew and stopped: +")
    assert "Entry settled: 2,000 of 2,000" in str(full)


def test_a_queue_that_is_full_of_nothing_fills():
    """A pool of connections has a place for each from the beginning."""
    owner.kept = queue.LifoQueue(1000)
    for _ in range(1000):
        owner.kept.put(None)

    def work(number):
        for _ in range(number):
            owner.kept.get()
        for each in range(number):
            owner.kept.put(Entry(each))

    _, growth = compare(work, 4, settled=True)
    (row,) = [row for row in growth if "owner.kept.queue" in row.held_by]
    assert (row.filled, row.limit) == (199, 1000)


@pytest.mark.parametrize("most", [60, 1000])
def test_a_dict_of_the_program_with_a_limit_fills(most):
    owner.kept = Recent(most)
    _, growth = compare(lambda n: owner.kept.put(n, Entry(n)), 4, 25)
    assert places(growth) == []


def test_what_grows_without_a_limit_comes_before_what_fills():
    def work(number, larger):
        owner.kept.append(bytes(10_000 + number))
        owner.also.extend(range(larger))

    for larger, first in [(200, "also"), (20, "kept")]:
        owner.kept, owner.also = collections.deque(maxlen=2000), bytearray()
        _, growth = compare(functools.partial(work, larger=larger), 4)
        held = [row.held_by.removeprefix(f"{__name__}.owner.") for row in growth]
        assert held[0].startswith(first) and len(held) == 2, held


def test_a_deque_without_a_limit_leaks():
    owner.kept = collections.deque()
    snapshots, growth = compare(lambda n: owner.kept.append(Entry(n)), 3)
    assert growth[0].verdict == "accumulates"
    assert growth[0].counts[-1] == 150
    assert "maxlen" not in snapshots[-1].find(owner.kept).facts


def test_a_limit_beyond_the_memory_of_the_machine_is_none():
    owner.kept = collections.deque(maxlen=10**9)
    snapshots, growth = compare(lambda n: owner.kept.append(Entry(n)), 3)
    assert growth[0].verdict == "accumulates"
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE")
    assert snapshots[0].info()["memory.machine"] == pages


@pytest.mark.parametrize(
    ("maxsize", "leaks"), [(1000, False), (10**9, True), (None, True)]
)
def test_an_lru_cache_fills_up_to_its_maxsize(maxsize, leaks):
    owner.kept = functools.lru_cache(maxsize)(Entry)
    _, growth = compare(lambda n: owner.kept(n), 3)
    assert bool(places(growth)) == leaks


def test_what_elements_gain_is_told():
    owner.kept = collections.deque((bytearray(), bytearray()), maxlen=4)

    def extend(_):
        for blob in owner.kept:
            blob.extend(b"x" * 1000)

    _, growth = compare(extend, 3)
    assert growth[0].verdict == "grows in place"
    assert places(growth) == [growth[0].held_by]


class Record:
    def __init__(self, number, before):
        self.text = f"record {number} " * 20
        self.before = before


def test_what_elements_keep_of_one_another_is_told():
    """A history of ten whose records keep the history that they found."""
    owner.kept = collections.deque(maxlen=10)

    def work(number):
        owner.kept.append(Record(number, list(owner.kept)))

    _, growth = compare(work, 4, 25)
    (row,) = growth
    assert row.type == f"{__name__}.Record" and row.degree == "steady"
    assert row.counts[-1] - row.counts[0] == 75
    assert row.held_by == f"{__name__}.owner.kept[*].before[*]"


def test_what_elements_share_is_not_told():
    """Each record has parts, as many at first as later."""
    owner.kept = collections.deque(maxlen=10)

    def work(number):
        part = Entry(number)
        owner.kept.append((Record(number, part), Record(number, part)))

    _, growth = compare(work, 4, 25)
    assert not growth


def test_more_and_more_deques_are_told():
    owner.kept = []
    _, growth = compare(
        lambda n: owner.kept.append(collections.deque([Entry(n)], maxlen=4)), 3
    )
    assert growth[0].verdict == "accumulates"
    assert growth[0].type == "collections.deque"


def test_one_deque_without_a_limit_makes_the_others_tell(tmp_path):
    owner.kept = [collections.deque(maxlen=1000), collections.deque()]

    def append(number):
        for each in owner.kept:
            each.append(Entry(number))

    _, growth = compare(append, 3)
    assert growth[0].verdict == "accumulates"


def test_a_summary_knows_limits(tmp_path):
    owner.kept = collections.deque(maxlen=1000)
    snapshots, _ = compare(lambda n: owner.kept.append(Entry(n)), 3)
    assert snapshots[-1].find(owner.kept).facts == {"maxlen": "1000"}
    paths = [
        each.summary(str(tmp_path / f"{number}.lgsum"))
        for number, each in enumerate(snapshots)
    ]
    growth = leakgraph.diff(*paths, min_bytes=2000)
    assert places(growth) == []
    assert growth.settled > 0


class Cache:
    """As cachetools has them: private names, and elements that count by size."""

    def __init__(self, most):
        self.__maxsize = most
        self.__currsize = 0
        self.__data = {}

    def put(self, key, value):
        self.__data[key] = value
        self.__currsize += 2


class Mapping(dict):
    def __init__(self, most):
        self.max_size = most

    put = dict.__setitem__


class Slotted:
    __slots__ = ("capacity", "elements")

    def __init__(self, most):
        self.capacity = most
        self.elements = []

    def put(self, _, value):
        self.elements.append(value)


class Links:
    """Entries in a ring, which an index holds, too."""

    def __init__(self, most):
        self._max_entries = most
        self._index = {}
        self._root = Entry(0)
        self._root.before = self._root.after = self._root

    def put(self, key, value):
        link, last = Entry(0), self._root.before
        link.value, link.before, link.after = value, last, self._root
        last.after = self._root.before = self._index[key] = link


class Ordered:
    """Entries by their use, in parts of its own, as cachetools.LFUCache has them."""

    def __init__(self, most):
        self.maxsize = most
        self._data = {}
        self._first = Owner()
        self._first.kept = collections.OrderedDict()
        self._first.also = []

    def put(self, key, value):
        self._data[key] = value
        self._first.kept[key] = None


class Waiting(queue.Queue):
    def put(self, _, value):
        super().put(value)


class LimitedCache:
    """As kombu has it."""

    def __init__(self, most):
        self.limit = most
        self.data = collections.OrderedDict()

    def put(self, key, value):
        self.data[key] = value


class Limited(LimitedCache):
    """In what is no cache, a limit may be anything."""


CACHES = (Cache, Mapping, Slotted, Links, Ordered, Waiting, LimitedCache)


def fill(*caches):
    owner.kept = caches

    def work(number):
        for place, each in enumerate(caches):
            each.put((number, place), Entry(number))

    return compare(work, 3)


def test_a_number_beside_a_container_is_its_limit():
    snapshots, growth = fill(*(kind(1000) for kind in CACHES))
    assert places(growth) == []
    assert growth.settled >= len(CACHES)
    facts = [snapshots[-1].find(each).facts for each in owner.kept]
    assert facts == [{"limit": "1000", "used": "300"}] + 6 * [{"limit": "1000"}]


def test_what_a_part_has_beyond_the_elements_of_its_owner_leaks():
    owner.kept = cache = Ordered(1000)

    def work(number):
        cache.put(number, Entry(number))
        cache._first.also += [(number, each) for each in range(5)]

    _, growth = compare(work, 3)
    assert [row.held_by for row in growth] == [f"{__name__}.owner.kept._first.also[*]"]


def test_a_number_that_a_container_does_not_heed_is_none():
    _, growth = fill(Mapping(20), Slotted(0), Links(10**9), Waiting(0), Limited(1000))
    rows = [row for row in growth if "owner.kept" in row.held_by]
    assert len(rows) >= 5
    assert {row.degree for row in rows} == {"steady"}


def test_some_caches_make_room_late():
    _, growth = fill(Slotted(101))
    assert places(growth) == []
    _, growth = fill(Slotted(99))
    assert places(growth) != []


def test_what_something_without_a_limit_shares_leaks():
    owner.kept, owner.also = (Slotted(1000), Slotted(1000)), ([], [])
    owner.kept[1].elements = owner.also[1]

    def work(number):
        owner.kept[0].put(number, Entry(number))
        owner.also[0].append([owner.kept[0].elements[-1]])
        owner.kept[1].put(number, (Entry(number),))

    _, growth = compare(work, 3)
    assert "tuple" in types_of(growth)
    # The heavier of both comes first, which depends on the version of CPython.
    pair = "(Entry accumulates with list|list accumulates with Entry)"
    assert re.search(pair, str(growth))


def put(entry, *holders):
    for holder in holders:
        holder.append(entry)


def ring(most=1000):
    return collections.deque(maxlen=most)


def begun():
    return collections.deque([None] * 100, maxlen=1000)


def indexed():
    return Indexed(maxlen=1000)


def nested():
    return collections.deque([[]], maxlen=1000)


def cache():
    return functools.lru_cache(1000)(lambda entry: [entry])


def alike(entry, one, other):
    put(entry, one, other)


def in_records(entry, one, other):
    put((1, entry), one)
    put({"entry": entry}, other)


def beside_others(entry, one, other):
    put(entry, one, other)
    put(None, other)


def as_keys(entry, one, other):
    one(entry)
    other(entry)


def as_a_result(entry, one, other):
    put(one(entry), other)


def as_several_each(entry, one, other):
    parts = [type(entry)(0) for _ in range(3)]
    put((entry, *parts), one)
    put([entry, *parts], other)


def in_a_list(entry, one, other):
    put(entry, one, other)


def in_a_third(entry, one, other, third):
    put(entry, one, other, third)


def in_an_index(entry, one, other):
    put(entry, one, other)


def in_elements(entry, one, other):
    put(entry, one[0], other[0])


def partly(entry, one, other, third, fourth):
    put(entry, one, other)
    put(type(entry)(0), third, fourth)


def share(kinds):
    """Compares a program in which containers share entries in these ways."""
    types = {how: type(how.__name__, (Entry,), {}) for how in kinds}
    for how, make in kinds.items():
        setattr(owner, how.__name__, [each() for each in make])

    def work(number):
        for how in kinds:
            how(types[how](number), *getattr(owner, how.__name__))

    snapshots, growth = compare(work, 4)
    vars(owner).clear()
    return snapshots, growth


def types_of(growth):
    return {row.type.rpartition(".")[2] for row in growth}


def of_the_program(growth):
    """Leave out what the process of the tests allocated for itself meanwhile."""
    return {
        row.type
        for row in growth
        if row.type.startswith(f"{__name__}.")
        or any("owner." in holder for holder in (row.held_by, *row.other_holders))
    }


def test_what_containers_with_a_limit_share_fills(tmp_path):
    snapshots, growth = share(
        {
            alike: (begun, begun),
            in_records: (ring, ring),
            beside_others: (ring, ring),
            as_keys: (cache, cache),
            as_a_result: (cache, ring),
            as_several_each: (ring, ring),
        }
    )
    assert of_the_program(growth) == set()
    assert growth.settled >= 6
    pair = leakgraph.diff(snapshots[0], snapshots[-1], min_bytes=2000)
    assert of_the_program(pair) == set()
    paths = [
        each.summary(str(tmp_path / f"{number}.lgsum"))
        for number, each in enumerate(snapshots)
    ]
    again = leakgraph.diff(*paths, min_bytes=2000)
    assert of_the_program(again) == set()
    assert again.settled >= 6


def test_what_anything_without_a_limit_shares_leaks():
    _, growth = share(
        {
            in_a_list: (ring, list),
            in_a_third: (ring, ring, list),
            in_an_index: (indexed, ring),
            in_elements: (nested, nested),
            partly: (ring, ring, list, list),
        }
    )
    counts = {row.type.rpartition(".")[2]: row.counts for row in growth}
    assert counts == {
        "in_a_list": (50, 100, 150, 200),
        "in_a_third": (50, 100, 150, 200),
        "in_an_index": (50, 100, 150, 200),
        "in_elements": (50, 100, 150, 200),
        "partly": (100, 200, 300, 400),
    }


def test_what_containers_share_is_told_with_their_limit_from_some_size_on():
    owner.kept, owner.also = ring(2000), ring(3000)
    _, growth = compare(lambda n: put(bytearray(20_000), owner.kept, owner.also), 3)
    (row,) = growth
    assert (row.degree, row.filled, row.limit) == ("filling", 150, 2000)
    assert "fills: 150 of 2,000, " in str(growth)


#: The variables of modules by name: the dicts with how many entries they keep, the
#: numbers that may be limits; and whether leakgraph sees a limit.
MODULES = {
    "plain": ({"_cache": 500, "_MAXCACHE": 500}, True),
    "with_prefix": ({"_parse_cache": 500, "MAX_CACHE_SIZE": 500}, True),
    "two": ({"_cache": 500, "_cache2": 9, "_MAXCACHE": 500, "_MAXCACHE2": 9}, True),
    "of_age": ({"_cache": 10**6, "_MAX_CACHE_AGE": 500}, False),
    "of_another": ({"_cache": 10**6, "_MAXREPCACHE": 500}, False),
    "not_heeded": ({"_cache": 10**6, "_MAXCACHE": 10}, False),
    "of_its_own": ({"_cache2": 10**6, "_MAXCACHE": 500, "_MAXCACHE2": 9}, False),
    "no_cache": ({"_items": 10**6, "_MAXCACHE": 500}, False),
}


def test_a_module_limits_its_caches_by_a_number():
    owner.kept = types.SimpleNamespace()
    for name, (variables, _) in MODULES.items():
        setattr(owner.kept, name, types.ModuleType(name))
        for variable, number in variables.items():
            value = number if "MAX" in variable else {}
            setattr(getattr(owner.kept, name), variable, value)

    def work(number):
        for name, (variables, _) in MODULES.items():
            for variable, most in variables.items():
                cache = getattr(getattr(owner.kept, name), variable)
                if "MAX" not in variable and len(cache) >= most:
                    cache.clear()
                if "MAX" not in variable:
                    cache[number] = bytes(1000 + number)

    _, growth = compare(work, 3)
    for name, (_, bounded) in MODULES.items():
        degrees = {row.degree for row in growth if f"kept.{name}." in row.held_by}
        assert (degrees <= {"filling"}) is bounded, name


def test_what_sqlite_prunes_is_limited():
    sqlite3 = pytest.importorskip("sqlite3")
    owner.kept = sqlite3.connect(":memory:")
    _, growth = compare(lambda n: owner.kept.cursor().close(), 3, 30, settled=True)
    told = [(row.verdict, row.limit) for row in growth if row.held_by in places(growth)]
    # From 3.15 on, a connection lists no cursors.
    listed = gc.is_tracked(owner.kept) and sys.version_info < (3, 15)
    assert told == ([("settled", 200)] if listed else [])
    owner.also = []
    _, growth = compare(lambda n: owner.also.append(owner.kept.cursor()), 4, 90)
    owner.kept.close()
    assert any("owner.also" in row.held_by for row in growth)


def test_a_cache_with_room_is_emptied_like_what_shares_its_entries():
    owner.also = []

    @functools.lru_cache(maxsize=10**6)
    def load(number):
        owner.also.append(Entry(number))
        return owner.also[-1]

    owner.kept = load
    del load
    _, growth = compare(lambda n: owner.kept(n), 3)
    (holders,) = [row.holders for row in growth if row.type == f"{__name__}.Entry"]
    named = {each.held_by for each in holders}
    assert named == {f"{__name__}.owner.kept", f"{__name__}.owner.also"}


def far_list():
    """A list in dicts, so that paths to its elements are longer than others."""
    return {"all": {"of": {"them": {"are": {"here": []}}}}}


def append_far(table, entry):
    table["all"]["of"]["them"]["are"]["here"].append(entry)


def test_companions_of_one_type_have_its_name_once(monkeypatch):
    """Another module has an entry of each pair as well, and this one the other."""
    monkeypatch.setitem(sys.modules, "far_away", types.ModuleType("far_away"))
    sys.modules["far_away"].table = far_list()
    owner.kept, owner.also = [], far_list()

    def work(number):
        pair = types.SimpleNamespace(first=Entry(number), second=Entry(-number))
        owner.kept.append(pair)
        append_far(owner.also, pair.first)
        append_far(sys.modules["far_away"].table, pair.second)

    _, growth = compare(work, 3)
    row = next(row for row in growth if row.type == "types.SimpleNamespace")
    assert row.text.count("Entry") == 1
