"""Compares shallow sizes with sys.getsizeof, and shows where they are more accurate."""

import array
import builtins
import collections
import decimal
import gc
import io
import queue
import re
import sys
import threading
import tracemalloc

import pytest
from builds import NEWER, PUBLIC

import leakgraph

HELD = []
LOCK = type(threading.Lock())
#: Later releases of 3.13 have a mutex in the object, and no other word.
IS_MUTEX = LOCK.__basicsize__ == object.__basicsize__ + 8
#: Py_TPFLAGS_HEAPTYPE.
HEAP_TYPE = 1 << 9
#: What malloc has for each of these, and getsizeof leaves out.
SEMAPHORES = {
    LOCK: 0 if IS_MUTEX else 32,
    type(threading.RLock()): 32 if sys.version_info < (3, 14) else 0,
    queue.SimpleQueue: 32 if sys.version_info < (3, 13) else 0,
}


class Plain:
    pass


class Six:
    def __init__(self):
        for i in range(6):
            setattr(self, f"attribute{i}", i)


class Slotted:
    __slots__ = ("first",)


class OwnSize:
    def __sizeof__(self):
        raise RuntimeError("not to be called")


def suspended():
    yield 1


GENERATOR = suspended()
next(GENERATOR)

EXACT = [
    "",
    "ascii",
    "latin é",
    "wide ☃",
    "\U0001f40d",
    b"",
    b"bytes",
    bytearray(b"more" * 9),
    0,
    1,
    -(10**30),
    True,
    1.5,
    1j,
    None,
    (),
    (1, 2),
    [],
    [1, 2, 3],
    {},
    {"a": 1},
    {i: i for i in range(100)},
    set(),
    set(range(100)),
    frozenset(range(5)),
    Slotted(),
    Plain,
    suspended,
    suspended.__code__,
    GENERATOR,
    sys,
    len,
    [].append,
    Slotted.first,
    range(3),
    slice(1),
    array.array("d", range(100)),
    collections.deque(range(1000)),
    collections.OrderedDict(a=1, b=2),
    decimal.Decimal("1." + "1" * 200),
    re.compile("a+b"),
    ValueError("text"),
    memoryview(b"bytes"),
    bytearray(),
]
if sys.version_info >= (3, 15):
    EXACT += [
        builtins.frozendict(),
        builtins.frozendict({i: i for i in range(100)}),
        builtins.sentinel("MISSING"),
    ]


def whole_size(node):
    """Return the object's own size, and that of the memory that it keeps elsewhere."""
    data = [e.node for e in node.referents() if e.label == "data"]
    assert all(memory.synthetic for memory in data)
    return node.size + sum(memory.size for memory in data)


@pytest.fixture(scope="module")
def captured():
    return leakgraph.snapshot()


@pytest.mark.parametrize("index", range(len(EXACT)))
def test_size_is_that_of_getsizeof(captured, index):
    thing = EXACT[index]
    if NEWER and thing and type(thing) is bytearray:
        pytest.skip("how its bytes are kept is internal")
    assert whole_size(captured.find(thing)) == sys.getsizeof(thing)


def test_a_str_that_also_keeps_its_utf8(tmp_path):
    text = "é" * 50
    before = leakgraph.snapshot().find(text).size
    open(tmp_path / text[:10], "w").close()
    assert leakgraph.snapshot().find(text).size == sys.getsizeof(text) >= before


@pytest.mark.skipif(PUBLIC, reason="the public method asks for the size of a class")
def test_a_class_has_a_copy_of_its_docstring_for_c_code():
    texts = ["d" * 3000, "d" * 10]
    long, short = [type("Documented", (), {"__doc__": text}) for text in texts]
    snapshot = leakgraph.snapshot()
    assert snapshot.find(long).size == snapshot.find(short).size + 2990
    assert snapshot.find(short).size == sys.getsizeof(short) + 11


def test_a_sizeof_written_in_python_is_not_asked():
    thing = OwnSize()
    thing.attribute = 1
    assert leakgraph.snapshot().find(thing).size >= object.__sizeof__(thing)


#: What a queue has for its items: a list, and from 3.13 on a ring of eight pointers.
QUEUE_ITEMS = sys.getsizeof([]) if sys.version_info < (3, 13) else 64


@pytest.mark.parametrize("make", [threading.Lock, threading.RLock, queue.SimpleQueue])
def test_a_lock_has_its_semaphore(make):
    """As tracemalloc counts all that is allocated for it."""
    room = [None] * 1000
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for index in range(len(room)):
        room[index] = make()
    each = (tracemalloc.get_traced_memory()[0] - before) / len(room)
    tracemalloc.stop()
    size = leakgraph.snapshot().find(room[-1]).size
    assert size == sys.getsizeof(room[-1]) + SEMAPHORES[type(room[-1])]
    assert size <= each + 1
    assert size >= each - (make is queue.SimpleQueue) * QUEUE_ITEMS - 1


@pytest.mark.skipif(
    sys.version_info < (3, 11) or PUBLIC,
    reason="values are inline from 3.11 on, and internal",
)
def test_inline_values_are_counted():
    thing = [Six() for _ in range(50)][-1]
    size = leakgraph.snapshot().find(thing).size
    assert size >= sys.getsizeof(thing) + 6 * 8
    assert size <= sys.getsizeof(thing) + 40 * 8


@pytest.mark.libraries
def test_arrays_count_their_data_once():
    numpy = pytest.importorskip("numpy")
    owner = numpy.zeros((100, 10))
    view = owner[10:]
    objects = numpy.array([None] * 100, dtype=object)
    HELD.extend([owner, view, objects])
    snapshot = leakgraph.snapshot()
    for array_ in (owner, view, objects):
        assert whole_size(snapshot.find(array_)) == sys.getsizeof(array_)
    assert whole_size(snapshot.find(owner)) > 8000
    assert whole_size(snapshot.find(view)) < 200
    assert snapshot.find(owner).size < 200


def has_inline_values(kind):
    """Whether instances have room for attributes, which getsizeof leaves out."""
    managed_dict = 1 << 4  # Py_TPFLAGS_MANAGED_DICT, from 3.11 on
    return sys.version_info >= (3, 11) and bool(kind.__flags__ & managed_dict)


def is_expected_difference(thing, ours, theirs):
    """Whether getsizeof is known to return too little or too much."""
    kind = type(thing)
    if "numpy.generic" in str(kind.__mro__):
        return True  # numpy 2.0 counts a scalar's value twice
    if "_struct.Struct" in str(kind):
        return True  # its __sizeof__ crashes on a half-built one, so nothing calls it
    if "StgInfo" in kind.__name__ or "ctypes" in str(kind.__mro__):
        return True  # CPython does not publish the layout of these structures
    if isinstance(thing, io.BytesIO):
        return True  # its content is an object with a size of its own
    if isinstance(thing, io.StringIO):
        return ours > theirs  # its __sizeof__ leaves out its text
    if kind in SEMAPHORES:
        return ours - theirs == SEMAPHORES[kind]
    if isinstance(thing, type):
        # 3.11 and 3.12 add a collector's head that static types do not have.
        if theirs - ours == 16 or kind.__module__ == "_ctypes":
            return True
        # getsizeof leaves out the docstring that C code reads.
        return (
            ours > theirs and thing.__flags__ & HEAP_TYPE and "__doc__" in vars(thing)
        )
    if ours > theirs and has_inline_values(kind):
        return True
    if isinstance(thing, dict):
        # Since 3.13, an instance's values are its own, and not its dict's.
        return sys.version_info >= (3, 13) and ours < theirs
    return False


def test_sizes_of_a_whole_process():
    gc.collect()
    things = {}
    for thing in gc.get_objects():
        things[id(thing)] = thing
        if thing is sys.modules.get("_asyncio"):
            continue  # 3.12 reports freed iterators, which must not come back to life
        for referent in gc.get_referents(thing):
            things.setdefault(id(referent), referent)
    snapshot = leakgraph.snapshot()
    address, size = snapshot.column("address"), snapshot.column("size").tolist()
    for memory in snapshot.select("type:*.memory"):
        for edge in memory.referrers():
            size[edge.source.index] += memory.size
    compared, wrong = 0, collections.Counter()
    for node, where in enumerate(address):
        thing = things.get(where)
        if thing is None or type(thing).__module__ in (__name__, "test_observer"):
            continue
        try:
            theirs = sys.getsizeof(thing)
        except Exception:
            continue
        compared += 1
        if size[node] != theirs and not is_expected_difference(
            thing, size[node], theirs
        ):
            wrong[type(thing)] += 1
    assert compared > 10_000
    # Between the two readings, only the test's own containers change.
    assert sum(wrong.values()) <= 10, wrong
