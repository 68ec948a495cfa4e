"""Counts memory of types that a program registered."""

import array
import ctypes
import gc
import pickle
import subprocess
import sys
import threading
import tracemalloc

import pytest
from builds import needs_fork
from shapes import Thing

import leakgraph

pytestmark = [pytest.mark.ends, pytest.mark.small]

LIBC = ctypes.CDLL(None)
LIBC.malloc.restype = ctypes.c_void_p
LIBC.free.argtypes = [ctypes.c_void_p]


class Block:
    """Memory of its own, known by address and size."""

    def __init__(self, size):
        self.address = LIBC.malloc(size)
        self.nbytes = size

    def __del__(self):
        LIBC.free(self.address)


class Slotted:
    __slots__ = ("nbytes", "where")

    def __init__(self, where, nbytes):
        self.where, self.nbytes = where, nbytes


class Plain:
    """Its subclass computes what its own instances would keep."""


class Tricky(Plain):
    """A type whose numbers come from code, which a capture must not run."""

    ran = 0

    @property
    def nbytes(self):
        Tricky.ran += 1
        return 10_000

    def __getattr__(self, name):
        Tricky.ran += 1
        raise AttributeError(name)


@pytest.fixture
def register():
    """Call register_buffers() for one test."""
    known = []

    def call(kind, **options):
        leakgraph.register_buffers(kind, **options)
        known.append(kind)

    yield call
    for kind in dict.fromkeys(known):
        leakgraph.unregister_buffers(kind)


def memory_of(snapshot, thing):
    return [e.node for e in snapshot.find(thing).referents() if e.node.buffer]


def test_members_of_the_instance(register):
    register(Block, member="address", length="nbytes")
    it = Thing(block=Block(3 << 20))
    snapshot = leakgraph.snapshot()
    (memory,) = memory_of(snapshot, it.block)
    assert memory.address == it.block.address and memory.size == 3 << 20
    assert memory.type_name == "Block.memory"
    assert snapshot.find(it.block).facts["bytes"] == str(3 << 20)
    assert snapshot.find(it).retained > 3 << 20
    assert snapshot.info()["adapter.registered"] == "inspected: 1 types"


def test_subclasses_and_the_nearest_of_two(register):
    class Child(Block):
        pass

    register(Block, length="nbytes")
    it = Child(5000)
    (memory,) = memory_of(leakgraph.snapshot(), it)
    assert memory.size == 5000 and memory.address == 0
    register(Child, member="address", length="nbytes")
    (memory,) = memory_of(leakgraph.snapshot(), it)
    assert memory.address == it.address


def test_slots_and_none(register):
    register(Slotted, member="where", length="nbytes")
    full, none, unset = Slotted(1 << 40, 7000), Slotted(None, 7000), Slotted(1, None)
    snapshot = leakgraph.snapshot()
    (memory,) = memory_of(snapshot, full)
    assert (memory.address, memory.size) == (1 << 40, 7000)
    assert memory_of(snapshot, none) == [] == memory_of(snapshot, unset)


def test_overlapping_memory_counts_once(register):
    register(Slotted, member="where", length="nbytes")
    data = bytearray(100_000)
    where = ctypes.addressof(ctypes.c_char.from_buffer(data))
    it = Thing(data=data, one=Slotted(where, 50_000), other=Slotted(where + 9, 99))
    del data
    snapshot = leakgraph.snapshot()
    (memory,) = memory_of(snapshot, it.data)
    assert memory_of(snapshot, it.one) == [memory] == memory_of(snapshot, it.other)
    assert memory.size >= 100_000 and memory.type_name == "bytearray.memory"
    assert 100_000 < snapshot.find(it).retained < 110_000


class Words(tuple):
    """A tuple keeps its length in the word after those that all objects have."""

    __slots__ = ()


def test_offsets(register):
    register(Words, length=object.__basicsize__)
    it = Words((7, 8))
    (memory,) = memory_of(leakgraph.snapshot(), it)
    assert memory.size == 2 and memory.address == 0


class Meta(type):
    """A type's `__basicsize__` and `__flags__` are members of its C struct."""


class Number(complex):
    """A float's `real` is a member."""


def test_members_of_the_struct(register):
    register(Meta, member="__flags__", length="__basicsize__")
    kind = Meta("kind", (), {})
    (memory,) = memory_of(leakgraph.snapshot(), kind)
    assert memory.size == kind.__basicsize__ and memory.address == kind.__flags__


def test_a_member_that_is_no_whole_number(register):
    register(Number, length="real")
    it = Number(5000)
    facts = leakgraph.snapshot().find(it).facts
    assert facts["not inspected"] == "it has no number with the name real"


class Loose:
    """Its instances may have any attribute, so no name is wrong at once."""


def test_a_name_that_no_instance_has_is_told_by_the_first_snapshot(register):
    register(Loose, member="data", length="nope")
    it = Loose()
    it.data = 1 << 20
    snapshot = leakgraph.snapshot()
    node = snapshot.find(it)
    assert node.facts["not inspected"] == "it has no number with the name nope"
    said = f"of Loose #{node.index} it has no number with the name nope"
    assert said in str(snapshot.memory())
    assert snapshot.info()["adapter.registered"] == f"not inspected: {said}"


class Default:
    """The class has a number, which is no memory of an instance."""

    nbytes = 7000


def test_a_number_of_the_class_is_none_of_its_instances(register):
    register(Default, length="nbytes")
    it, other = Default(), Default()
    other.nbytes = 9000
    snapshot = leakgraph.snapshot()
    (memory,) = memory_of(snapshot, other)
    assert memory.size == 9000 and memory_of(snapshot, it) == []
    assert "not inspected" in snapshot.find(it).facts
    assert snapshot.info()["adapter.registered"].startswith("not inspected: of Default")


class Table:
    """Imitates a library's object: handles to memory, in rows; `rows` is a property."""

    def __init__(self, *sizes):
        self._blocks = [Block(size) for size in sizes]
        self.lent = bytearray(70_000)

    @property
    def rows(self):
        return [(block.address, block.nbytes) for block in self._blocks]


def test_a_type_that_only_its_own_code_understands(register):
    register(Table, reader=lambda it: [*it.rows, memoryview(it.lent)])
    it = Thing(table=Table(100_000, 300_000))
    snapshot = leakgraph.snapshot()
    memory = memory_of(snapshot, it.table)
    assert sorted(node.size for node in memory) == [
        block_of(it.table.lent),
        100_000,
        300_000,
    ]
    assert {node.address for node in memory} >= {row[0] for row in it.table.rows}
    assert 470_000 < snapshot.find(it).retained < 480_000
    assert snapshot.info()["adapter.registered"] == "inspected: 1 types"
    del it.table._blocks
    node = leakgraph.snapshot().find(it.table)
    assert node.facts["not inspected"].startswith("AttributeError: ")


def test_an_offset_that_lies_outside(register):
    with pytest.raises(
        leakgraph.ArgumentError, match="not the offset of a word in Block"
    ):
        leakgraph.register_buffers(Block, offset=1 << 20, length=16)


def test_no_code_runs_for_what_is_declared(register):
    register(Plain, length="nbytes")
    it = Tricky()
    Tricky.ran = 0
    snapshot = leakgraph.snapshot()
    assert Tricky.ran == 0
    facts = snapshot.find(it).facts
    assert facts["not inspected"] == "it has no number with the name nbytes"


@pytest.mark.parametrize("value", ["text", 1.5, -1, 1 << 70, 1 << 60])
def test_a_number_that_is_none_is_said(register, value):
    register(Slotted, member="where", length="nbytes")
    it = Slotted(1 << 40, value)
    snapshot = leakgraph.snapshot()
    assert memory_of(snapshot, it) == []
    assert "not inspected" in snapshot.find(it).facts


def test_the_buffer_protocol(register):
    register(pickle.PickleBuffer, buffer_protocol=True)
    data = bytearray(30_000)
    it = Thing(data=data, one=pickle.PickleBuffer(data))
    it.other = pickle.PickleBuffer(memoryview(data)[:100])
    del data
    snapshot = leakgraph.snapshot()
    (memory,) = memory_of(snapshot, it.data)
    assert memory_of(snapshot, it.one) == [memory] == memory_of(snapshot, it.other)
    assert snapshot.find(it.other).facts["bytes"] == "100"
    assert 30_000 < snapshot.find(it).retained < 35_000


def test_what_leakgraph_knows_stays_as_it_is(register):
    register(array.array, reader=failing)
    it = array.array("b", bytes(5000))
    snapshot = leakgraph.snapshot()
    (memory,) = memory_of(snapshot, it)
    assert memory.type_name == "array.memory"
    assert "not inspected" not in snapshot.find(it).facts


class Answer:
    def __init__(self, answer):
        self.answer = answer


DATA = bytearray(2000)


def block_of(array):
    """Compute the bytes of the block behind a bytearray; 3.15 has an object in it."""
    return sys.getsizeof(array) - sys.getsizeof(bytearray())


@pytest.mark.parametrize(
    "answer, sizes",
    [
        (None, []),
        (0, []),
        (5000, [5000]),
        ((1 << 40, 6000), [6000]),
        ((1 << 40, 6000, "cuda:3"), [6000]),
        ([(1 << 40, 6000), 50, (1 << 41, 10)], [10, 50, 6000]),
        (iter([1, 2]), [1, 2]),
        ((), []),
        (DATA, [block_of(DATA)]),
        (memoryview(DATA)[100:], [block_of(DATA)]),
    ],
)
def test_what_a_reader_may_say(register, answer, sizes):
    register(Answer, reader=lambda it: it.answer)
    it = Answer(answer)
    snapshot = leakgraph.snapshot()
    memory = memory_of(snapshot, it)
    assert sorted(node.size for node in memory) == sizes
    if isinstance(answer, tuple) and len(answer) == 3:
        assert memory[0].device == "cuda:3"
    assert "not inspected" not in snapshot.find(it).facts


def failing(it):
    raise ValueError("not today")


@pytest.mark.parametrize(
    "reader, why",
    [
        (failing, "ValueError: not today"),
        (lambda it: "text", "TypeError"),
        (lambda it: 1.5, "TypeError"),
        (lambda it: -1, "OverflowError"),
        (lambda it: (1, 2, 3, 4), "TypeError"),
        (lambda it: [(1, -2)], "OverflowError"),
        (lambda it: [(1, 2), None], "TypeError"),
        (lambda it: (1, 1 << 62), "the length is out of range"),
    ],
)
def test_a_reader_that_fails_is_a_remark(register, reader, why):
    register(Answer, reader=reader)
    it = Answer(None)
    snapshot = leakgraph.snapshot()
    assert snapshot.find(it).facts["not inspected"].startswith(why)
    if "out of range" not in why:
        assert "1 of 1 instances" in snapshot.info()["adapter.registered"]
    assert sys.exc_info() == (None, None, None)


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_a_reader_may_end_the_snapshot(register, kind):
    """A reader's exception that is not an Exception ends the snapshot."""
    asked = []

    def ending(it):
        asked.append(it)
        if len(asked) == 1:
            raise kind("now")
        return 7

    register(Answer, reader=ending)
    held = [Answer(None), Answer(None)]
    with pytest.raises(kind, match="now"):
        leakgraph.snapshot()
    assert len(asked) == 1
    snapshot = leakgraph.snapshot()
    assert len(snapshot.select("type:Answer.memory")) == len(held)


def why_not_read(snapshot, it):
    return snapshot.find(it).facts["not inspected"]


def test_a_reader_may_take_snapshots(register):
    """Snapshots that a reader takes read what is declared, but do not call readers."""
    seen = []
    block = Block(2000)

    def curious(it):
        with leakgraph.snapshot() as inner:
            (memory,) = memory_of(inner, block)
            seen.append((why_not_read(inner, it), memory.size))
        return 1000

    register(Answer, reader=curious)
    register(Block, member="address", length="nbytes")
    it = Answer(None)
    snapshot = leakgraph.snapshot()
    (memory,) = snapshot.select("type:Answer.memory")
    assert memory.size == 1000 and it.answer is None
    assert seen == [("a reader took the snapshot", 2000)]


def many_threads_with_snapshots(register, waits):
    """Threads that a reader starts take snapshots; a reader stops at twenty."""
    threads, remarks = [], []

    def take():
        with leakgraph.snapshot() as inner:
            remarks.append(why_not_read(inner, it))

    def starting(it):
        if len(threads) < 20:
            threads.append(threading.Thread(target=take))
            threads[-1].start()
            if waits:
                threads[-1].join()
        return 1000

    register(Answer, reader=starting)
    it = Answer(None)
    snapshot = leakgraph.snapshot()
    for thread in threads:
        thread.join()
    (memory,) = snapshot.select("type:Answer.memory")
    assert memory.size == 1000
    return remarks


@pytest.mark.parametrize("waits", [True, False])
def test_a_reader_may_start_threads_that_take_snapshots(register, waits):
    remarks = many_threads_with_snapshots(register, waits)
    assert remarks == ["a reader took the snapshot"]


class Paused:
    """A reader waits in a snapshot that another thread takes."""

    def __init__(self, register):
        self.runs, self.may_end = threading.Event(), threading.Event()
        register(Answer, reader=self.read)
        self.it = Answer(None)
        self.thread = threading.Thread(target=lambda: leakgraph.snapshot().close())

    def read(self, it):
        if threading.current_thread() is self.thread:
            self.runs.set()
            self.may_end.wait()
        return 1000

    def __enter__(self):
        self.thread.start()
        self.runs.wait()
        return self.it

    def __exit__(self, *_):
        self.may_end.set()
        self.thread.join()


def test_threads_that_others_start_meanwhile_call_readers(register):
    may_go_on = threading.Event()
    found = []

    def take():
        may_go_on.wait()
        with leakgraph.snapshot() as snapshot:
            found.extend(node.size for node in memory_of(snapshot, it))

    thread = threading.Thread(target=take)
    with Paused(register) as it:
        thread.start()
    may_go_on.set()
    thread.join()
    assert found == [1000]


def test_a_snapshot_waits_for_the_readers_of_another_one(register):
    """The reader can end, but its thread gets the GIL only when this one waits."""
    paused = Paused(register)
    with paused as it:
        paused.may_end.set()
        snapshot = leakgraph.snapshot()
    (memory,) = memory_of(snapshot, it)
    assert memory.size == 1000


def test_readers_that_wait_for_another_snapshot(register):
    """Other snapshots may wait for this one, which goes on without readers."""
    with Paused(register) as it:
        for _ in range(2):
            with leakgraph.snapshot() as snapshot:
                remark = why_not_read(snapshot, it)
                assert remark == "the readers of another snapshot were running"
    assert memory_of(leakgraph.snapshot(), it)


def test_what_cannot_export_is_a_remark(register):
    register(Answer, buffer_protocol=True)
    it = Answer(None)
    assert "bytes-like" in leakgraph.snapshot().find(it).facts["not inspected"]


def test_a_reader_may_do_anything(register):
    """A reader may drop the object, register, collect, and take a snapshot."""
    held = [Answer(i) for i in range(100)]

    def reader(it):
        held.clear()
        leakgraph.register_buffers(Slotted, length="nbytes")
        leakgraph.unregister_buffers(Slotted)
        gc.collect()
        if it.answer == 50:
            leakgraph.unregister_buffers(Answer)
            leakgraph.register_buffers(Answer, reader=lambda it: 1)
        return 1000

    register(Answer, reader=reader)
    snapshot = leakgraph.snapshot()
    memory = snapshot.select("type:Answer.memory")
    assert len(memory) == 100 and 1000 in {node.size for node in memory}


def test_unregistered_it_is_as_before(register):
    it = Block(1000)
    leakgraph.register_buffers(Block, length="nbytes")
    assert memory_of(leakgraph.snapshot(), it)
    leakgraph.unregister_buffers(Block)
    snapshot = leakgraph.snapshot()
    assert memory_of(snapshot, it) == []
    assert "adapter.registered" not in snapshot.info()
    with pytest.raises(leakgraph.NotFoundError):
        leakgraph.unregister_buffers(Block)


@pytest.mark.parametrize(
    "kind, options",
    [
        (Block, {}),
        (Block, {"member": "address"}),
        (Block, {"length": "nbytes", "buffer_protocol": True}),
        (Block, {"length": "nbytes", "reader": len}),
        (Block, {"member": "a", "offset": 16, "length": "nbytes"}),
        (Block, {"offset": 8, "length": 16}),
        (Block, {"offset": 17, "length": 16}),
        (object, {"length": 16}),
        ("Block", {"length": 16}),
    ],
)
def test_what_makes_no_sense_is_refused(kind, options):
    with pytest.raises(leakgraph.ArgumentError):
        leakgraph.register_buffers(kind, **options)


class Computed:
    """Code computes one of its numbers; instances keep the other two themselves."""

    rows = 0

    def __init__(self):
        self.rows, self.columns = 1 << 20, 1 << 21

    @property
    def nbytes(self):
        raise AssertionError("nobody asks")


class Constant:
    """Its instances cannot have a number of their own."""

    __slots__ = ()
    nbytes = 1 << 20


@pytest.mark.parametrize(
    ("kind", "length", "why"),
    [
        (Computed, "nbytes", "'nbytes' of Computed is computed by code"),
        (memoryview, "nbytes", "'nbytes' of memoryview is computed by code"),
        (Constant, "nbytes", "not a member or slot of Constant"),
        (Slotted, "nope", "not a member or slot of Slotted"),
    ],
)
def test_names_that_no_capture_can_read_are_refused(kind, length, why):
    with pytest.raises(leakgraph.ArgumentError, match=why):
        leakgraph.register_buffers(kind, length=length)


@pytest.mark.parametrize("length", ["rows", "columns"])
def test_an_attribute_may_hide_one_of_the_class(register, length):
    register(Computed, length=length)
    it = Computed()
    (memory,) = memory_of(leakgraph.snapshot(), it)
    assert memory.size == vars(it)[length]


@pytest.mark.parametrize("options", [{"length": 1.5}, {"length": "n", "member": 3}])
def test_wrong_types_are_refused(options):
    with pytest.raises(TypeError):
        leakgraph.register_buffers(Block, **options)
    with pytest.raises(TypeError):
        leakgraph.register_buffers(Block, reader=3)


def test_bytes_promised_are_bytes_freed(register):
    """A reader's pieces are in Python memory, where tracemalloc sees them."""
    register(Keeper, reader=lambda it: [(a, n) for a, n in it.pieces()])
    tracemalloc.start()
    try:
        it = Thing(keeper=Keeper())
        promised = leakgraph.why(it.keeper).retained.host
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        del it.keeper
        freed = before - tracemalloc.get_traced_memory()[0]
        assert abs(promised - freed) < 0.02 * freed, (promised, freed)
    finally:
        tracemalloc.stop()


class Keeper:
    """An object that knows its memory only as numbers."""

    def __init__(self):
        raw = ctypes.pythonapi.PyMem_RawMalloc
        raw.restype, raw.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
        self.numbers = [(raw(size), size) for size in (100_000, 300_000)]

    def pieces(self):
        return self.numbers

    def __del__(self):
        free = ctypes.pythonapi.PyMem_RawFree
        free.argtypes = [ctypes.c_void_p]
        for address, _ in self.numbers:
            free(address)


@needs_fork
def test_a_forked_child_asks_nobody(register, tmp_path):
    register(Answer, reader=lambda it: 5000)
    it = Answer(None)
    leakgraph.save_snapshot(tmp_path / "it.lgs", fork=True)
    read = leakgraph.load(tmp_path / "it.lgs")
    (node,) = (n for n in read.select("type:*.Answer") if n.address == id(it))
    assert "forked" in node.facts["not inspected"]


def test_who_never_registers_loads_nothing():
    code = "import sys, leakgraph; assert 'leakgraph.buffers' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
