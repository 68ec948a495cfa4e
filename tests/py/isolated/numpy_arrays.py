"""Tests numpy's arrays: python ... CASE.

test_numpy_arrays.py runs this script, because no other test may share a process with
numpy.
"""

import ctypes
import gc
import mmap
import sys
import tempfile
import tracemalloc
from array import array as packed
from pathlib import Path

import numpy

import leakgraph

sys.path.insert(0, str(Path(__file__).parents[1]))

from shapes import Thing

MEMORY = "type:numpy.memory"


def data_of(node):
    """Return the memory to which a node itself refers."""
    return [edge.node for edge in node.referents() if edge.node.buffer]


def labels(node):
    return {edge.label: edge.node for edge in node.referents()}


def promised_and_freed(holder, name):
    """Return what an attribute retains, and what its deletion frees."""
    gc.collect()
    promised = leakgraph.why(getattr(holder, name)).retained.host
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    delattr(holder, name)
    return promised, before - tracemalloc.get_traced_memory()[0]


def close_to(a, b, part=0.01):
    return abs(a - b) <= part * max(a, b)


def owner():
    """An owner's own size excludes the data; memory and facts include it."""
    it = Thing(array=numpy.zeros((256, 1024), numpy.float32))
    node = leakgraph.snapshot().find(it.array)
    (memory,) = data_of(node)
    assert memory.size == it.array.nbytes and memory.synthetic
    assert memory.text == node.text == "float32[256, 1024]"
    assert memory.address == it.array.ctypes.data
    assert node.size + memory.size == sys.getsizeof(it.array)
    assert node.facts == {
        "dtype": "float32",
        "shape": "256, 1024",
        "bytes": str(it.array.nbytes),
    }
    assert node.retained.host == node.size + memory.size
    assert memory.device == "host" and memory.dominator == node


def views():
    """Views have no memory of their own, however a program makes them."""
    it = Thing(array=numpy.arange(10_000.0))
    it.slice = it.array[10:20]
    it.again = it.slice[::-2]
    it.reshaped = it.array.reshape(100, 100).T
    it.real = it.array.view(numpy.complex128).real
    it.wide = numpy.broadcast_to(it.array[:1], (1000, 1000))
    it.strided = numpy.lib.stride_tricks.as_strided(it.array, (5, 5), (8, 8))
    it.windows = numpy.lib.stride_tricks.sliding_window_view(it.array, 7)
    it.flat = it.array.flat.base
    it.kind = it.array.view(numpy.recarray)
    snapshot = leakgraph.snapshot()
    (memory,) = data_of(snapshot.find(it.array))
    assert [edge.source for edge in memory.referrers()] == [snapshot.find(it.array)]
    assert memory.size == 80_000
    for name, view in vars(it).items():
        if name in ("array", "flat"):
            continue
        assert data_of(snapshot.find(view)) == [], name
        assert snapshot.find(view).size < 1000, name
    assert snapshot.find(it.slice).facts["bytes"] == "80"
    assert len(snapshot.select(MEMORY)) == len(
        {n.address for n in snapshot.select(MEMORY)}
    )


def pinned():
    """The facts behind a finding of view waste: a small view, and what it keeps."""
    it = Thing(view=numpy.zeros(1 << 17)[5:6])
    tracemalloc.start()
    snapshot = leakgraph.snapshot()
    view = snapshot.find(it.view)
    (memory,) = data_of(labels(view)[".base"])
    assert int(view.facts["bytes"]) == 8 and memory.size == 1 << 20
    assert view.retained > memory.size
    assert labels(view)[".base"].dominator == view


def shared():
    """An array and its view have two holders. Neither retains the bytes, which still
    count.
    """
    array = numpy.zeros(100_000)
    it = Thing(one=Thing(array=array), other=Thing(view=array[5:]))
    del array
    snapshot = leakgraph.snapshot()
    (memory,) = data_of(snapshot.find(it.one.array))
    assert snapshot.find(it.one).retained < memory.size
    assert snapshot.find(it.other).retained < memory.size
    assert memory.size < snapshot.find(it).retained < 2 * memory.size


def borrowed():
    """Memory of bytes, bytearray, mmap and ctypes belongs to these objects."""
    it = Thing()
    it.of_bytes = numpy.frombuffer(b"x" * 50_000, numpy.uint8)
    it.of_bytearray = numpy.frombuffer(bytearray(60_000), numpy.uint8)
    it.of_ctypes = numpy.ctypeslib.as_array((ctypes.c_double * 1000)())
    it.of_map = numpy.frombuffer(mmap.mmap(-1, 8192), numpy.uint8)
    it.of_view = numpy.asarray(memoryview(bytearray(7000))[10:20])
    snapshot = leakgraph.snapshot()
    assert not data_of(snapshot.find(it.of_bytes))
    assert labels(snapshot.find(it.of_bytes))[".base"].size > 50_000
    for name, size in [
        ("of_bytes", 50_000),
        ("of_bytearray", 60_000),
        ("of_ctypes", 8000),
        ("of_map", 8192),
        ("of_view", 7000),
    ]:
        node = snapshot.find(getattr(it, name))
        assert data_of(node) == [] and size <= node.retained < size + 5000, name


def claimed():
    """Memory belongs to its owner, even if an array claims more than the owner has."""
    it = Thing(bytes=bytearray(50_000), items=packed("b", bytes(60_000)))
    it.map = mmap.mmap(-1, 40_960)
    owners = {"bytes": "bytearray", "items": "array", "map": "mmap"}
    for name in owners:
        owner = getattr(it, name)
        shown = numpy.frombuffer(owner, numpy.uint8)
        claim = Thing()
        claim.__array_interface__ = {
            **shown.__array_interface__,
            "shape": (len(shown) + 16,),
        }
        setattr(it, f"claim_on_{name}", numpy.asarray(claim))
    snapshot = leakgraph.snapshot()
    for name, called in owners.items():
        (memory,) = data_of(snapshot.find(getattr(it, name)))
        assert len(memory.referrers()) == 2, name
        assert memory.type_name == f"{called}.memory", name


def mapped():
    """A memmap's memory belongs to the file, and says so."""
    with tempfile.NamedTemporaryFile() as file:
        it = Thing(map=numpy.memmap(file.name, numpy.uint8, "w+", shape=40_000))
        it.part = it.map[100:200]
        snapshot = leakgraph.snapshot()
        (memory,) = snapshot.select("type:mmap.memory")
        assert memory.size >= 40_000 and memory.facts["memory"] == "mapped"
        (holder,) = (edge.source for edge in memory.referrers())
        assert holder.text == file.name and holder.type_name == "mmap.mmap"
        assert snapshot.find(it).retained > memory.size


class Interface:
    """An object that shows an array's memory only by the protocol."""

    def __init__(self, array):
        self.array = array
        self.__array_interface__ = array.__array_interface__


def interface():
    """The holder of an __array_interface__ passes the memory on.

    Without an array behind it, the holder retains the memory.
    """
    it = Thing(array=numpy.zeros(9000), raw=ctypes.create_string_buffer(9))
    it.shown = numpy.asarray(Interface(it.array))
    size = 3 << 20
    raw = ctypes.CDLL(None).malloc
    raw.restype = ctypes.c_void_p
    bare = Thing()
    bare.__array_interface__ = {
        "version": 3,
        "shape": (size,),
        "typestr": "|u1",
        "data": (raw(size), False),
    }
    it.foreign = numpy.asarray(bare)
    it.again = it.foreign[10:]
    del bare
    snapshot = leakgraph.snapshot()
    (memory,) = data_of(snapshot.find(it.array))
    assert len(memory.referrers()) == 1
    foreign = [n for n in snapshot.select(MEMORY) if n.size == size]
    (memory,) = foreign
    (holder,) = (edge.source for edge in memory.referrers())
    assert holder.type_name.endswith("Thing")
    assert snapshot.find(it).retained > size


def unowned():
    """Memory without a known owner also counts."""
    size = 5 << 20
    raw = ctypes.CDLL(None).malloc
    raw.restype = ctypes.c_void_p
    pointer = ctypes.cast(raw(size), ctypes.POINTER(ctypes.c_double))
    it = Thing(array=numpy.ctypeslib.as_array(pointer, (size // 8,)))
    it.half = it.array[: size // 16]
    del pointer
    snapshot = leakgraph.snapshot()
    (memory,) = (n for n in snapshot.select("type:*.memory") if n.size == size)
    assert memory.text.startswith("float64[") and not memory.facts
    assert size < snapshot.find(it).retained < 2 * size


def objects():
    """The owner of an object array holds its elements; a view holds the owner."""
    it = Thing(array=numpy.array([Thing(), None, [1]], dtype=object))
    it.view = it.array[:1]
    snapshot = leakgraph.snapshot()
    node = snapshot.find(it.array)
    assert labels(node)["[0]"] == snapshot.find(it.array[0])
    assert labels(node)["[2]"] == snapshot.find(it.array[2])
    assert not any(label.startswith("[") for label in labels(snapshot.find(it.view)))
    del it.array
    snapshot = leakgraph.snapshot()
    thing = snapshot.find(it.view[0])
    assert thing.dominator == labels(snapshot.find(it.view))[".base"]
    assert thing.unexplained == 0


def several_dimensions():
    """An index has as many numbers as its array, whatever the order in memory."""
    for order in "C", "F":
        it = Thing(array=numpy.full((2, 3, 4), None, dtype=object, order=order))
        for place in numpy.ndindex(2, 3, 4):
            it.array[place] = Thing()
        snapshot = leakgraph.snapshot()
        found = labels(snapshot.find(it.array))
        for place in numpy.ndindex(2, 3, 4):
            label = f"[{', '.join(map(str, place))}]"
            assert found[label] == snapshot.find(it.array[place])


def own_strides():
    """Strides may lead anywhere, also in an array that owns its memory."""
    it = Thing(array=numpy.full((2, 3), None, dtype=object, order="F"))
    it.array[0, 0] = Thing()
    begin = object.__basicsize__ + 3 * ctypes.sizeof(ctypes.c_void_p)
    pointer = ctypes.c_void_p.from_address(id(it.array) + begin).value
    strides = (ctypes.c_ssize_t * 2).from_address(pointer)
    right = tuple(strides)
    assert right == it.array.strides == (8, 16)
    for wrong in (4, 20), (8, 1 << 40), (-8, 16):
        strides[:] = wrong
        snapshot = leakgraph.snapshot()
        strides[:] = right
        assert labels(snapshot.find(it.array))["[0, 0]"] == snapshot.find(
            it.array[0, 0]
        )


INNER = numpy.dtype([("p", object), ("q", "i4")])
RECORD = numpy.dtype(
    [("x", "f8"), (("a title", "o"), object), ("n", INNER), ("s", object, (2,))]
)


def structured():
    """The capture finds references within records, nested and in subarrays, too.

    A record keeps its array.
    """
    it = Thing(array=numpy.zeros(100, RECORD))
    things = [Thing() for _ in range(4)]
    it.array["o"][1], it.array["n"]["p"][2] = things[:2]
    it.array["s"][3, 0], it.array["s"][99, 1] = things[2:]
    snapshot = leakgraph.snapshot()
    node = snapshot.find(it.array)
    (memory,) = data_of(node)
    assert memory.size == it.array.nbytes and node.facts["dtype"] == "structured"
    held = {edge.node: edge.label for edge in node.referents()}
    assert [held[snapshot.find(thing)] for thing in things] == [
        "[1]",
        "[2]",
        "[3]",
        "[99]",
    ]
    it.record = it.array[2]
    del it.array, things
    snapshot = leakgraph.snapshot()
    record = snapshot.find(it.record)
    assert record.type_name == "numpy.void"
    assert record.retained > 100 * RECORD.itemsize


def deep():
    """An array says so if its items nest too deep."""
    dtype = numpy.dtype([("x", object)])
    for _ in range(3):
        dtype = numpy.dtype([("x", dtype, (8,))])
    it = Thing(array=numpy.zeros(2, dtype), plain=numpy.zeros(2, RECORD))
    snapshot = leakgraph.snapshot()
    assert "not inspected" in snapshot.find(it.array).facts
    assert "not inspected" not in snapshot.find(it.plain).facts
    if hasattr(numpy.dtypes, "StringDType"):
        it.text = numpy.array(["a long text " * 9], numpy.dtypes.StringDType())
        found = leakgraph.snapshot().find(it.text)
        assert "strings" in found.facts["not inspected"]


def masked():
    """A masked array keeps its data and its mask."""
    it = Thing(
        array=numpy.ma.masked_array(numpy.arange(10_000.0), numpy.arange(10_000) % 2)
    )
    snapshot = leakgraph.snapshot()
    node = snapshot.find(it.array)
    assert node.type_name.endswith("MaskedArray")
    (mask,) = data_of(snapshot.find(it.array._mask))
    assert mask.size == 10_000
    assert 90_000 < node.retained < 95_000


def names():
    """The names of arrays."""
    its = [
        (numpy.zeros(3, bool), "bool[3]"),
        (numpy.array(["abc"]), "U3[1]"),
        (numpy.array([b"ab"]), "S2[1]"),
        (numpy.zeros((), numpy.int8), "int8[]"),
        (numpy.zeros((2, 0)), "float64[2, 0]"),
        (numpy.array([None]), "object[1]"),
        (numpy.zeros(1, "M8[s]"), "datetime64[1]"),
        (numpy.zeros([1] * 32, numpy.float16), "float16[" + "1, " * 31 + "1]"),
    ]
    snapshot = leakgraph.snapshot()
    for array, text in its:
        assert snapshot.find(array).text == text, snapshot.find(array).text


def random_array(chance, arrays):
    """Make a new array, or one over the memory of another."""
    kind = chance.integers(9)
    if kind < 2 or not arrays:
        return numpy.zeros(int(chance.integers(3000, 90_000)))
    one = arrays[int(chance.integers(len(arrays)))]
    size = len(one)
    if kind == 2:
        return one[int(chance.integers(size)) :] if size > 10 else one
    if kind == 3:
        return one[::-1]
    if kind == 4:
        return numpy.frombuffer(bytes(int(chance.integers(3000, 90_000))), "u1")
    if kind == 5:
        return numpy.frombuffer(bytearray(int(chance.integers(3000, 90_000))), "u1")
    if kind == 6:
        return numpy.asarray(memoryview(one))
    if kind == 7:
        return numpy.array([bytes(9000) for _ in range(5)], object)[1:]
    return numpy.lib.stride_tricks.as_strided(one, (min(size, 7),), one.strides)


def random():
    """In any mix of owners and borrowers, the promised bytes go.

    After half of them have gone, the rest is still right.
    """
    tracemalloc.start()
    for seed in range(25):
        chance = numpy.random.default_rng(seed)
        arrays, it = [], Thing()
        for _ in range(int(chance.integers(2, 20))):
            arrays.append(random_array(chance, arrays))
        half = len(arrays) // 2 + 1
        it.some = [arrays.pop(int(chance.integers(len(arrays)))) for _ in range(half)]
        it.rest = arrays
        del arrays
        for name in ("some", "rest"):
            promised, freed = promised_and_freed(it, name)
            assert close_to(promised, freed) or abs(promised - freed) < 2000, (
                seed,
                name,
                promised,
                freed,
            )


def frontier():
    """At the limit of a partial capture, an array has its whole size."""
    it = Thing(next=Thing(array=numpy.zeros(50_000)))
    array_met = [1, 2, 3, 4, 5]
    while True:
        snapshot = leakgraph.snapshot(roots=[it], max_depth=array_met.pop(0))
        if "numpy.ndarray" in {row.type for row in snapshot.types(None)}:
            break
    (array,) = snapshot.select("type:numpy.ndarray")
    assert array.frontier and array.size > 400_000 and array.text == "float64[50000]"
    assert "numpy.memory" not in {row.type for row in snapshot.types(None)}
    deeper = leakgraph.snapshot(roots=[it], max_depth=6)
    (array,) = deeper.select("type:numpy.ndarray")
    assert not array.frontier and array.size < 200
    assert data_of(array)[0].size == 400_000


def saved():
    """A file keeps all of this."""
    it = Thing(array=numpy.zeros(12_345))
    with tempfile.TemporaryDirectory() as folder:
        snapshot = leakgraph.snapshot()
        snapshot.save(f"{folder}/it.lgs")
        read = leakgraph.load(f"{folder}/it.lgs")
        node = read.node(snapshot.find(it.array).index)
        assert node.facts["shape"] == "12345" and data_of(node)[0].size == 98_760
        assert read.info()["adapter.numpy"] == "inspected: " + numpy.__version__


def scalars():
    """Arrays without dimensions have no table of dimensions."""
    values = [7, 1.5, "text", b"bytes", None, (1, 2.5), numpy.datetime64("2001-01-01")]
    it = Thing(arrays=[numpy.array(value) for value in values])
    it.arrays += [numpy.zeros((), RECORD), numpy.zeros((3, 4))[0, 0, ...]]
    it.arrays += [numpy.array(value) for value in values]
    with leakgraph.snapshot() as snapshot:
        for array in it.arrays:
            if array.shape == ():
                assert snapshot.find(array).facts["shape"] == "", array
                assert snapshot.find(array).text.endswith("[]")


def loops():
    """A ufunc keeps its loops, in a list or a dict, and nothing native does."""
    with leakgraph.snapshot() as snapshot:
        for ufunc in (numpy.add, numpy.linalg._umath_linalg.det):
            (edge,) = [
                e for e in snapshot.find(ufunc).referents() if e.label == "._loops"
            ]
            assert edge.node.type_name in {"list", "dict"}, edge
            assert edge.node.unexplained == 0, edge
            assert edge.node.dominator == snapshot.find(ufunc)


def unknown():
    """leakgraph leaves a numpy of another layout alone, and says so."""
    import importlib

    core = "numpy._core" if numpy.__version__[0] == "2" else "numpy.core"
    module = importlib.import_module(core + "._multiarray_umath")
    it = Thing(array=numpy.zeros(12_345))
    table = vars(module).pop("_ARRAY_API")
    snapshot = leakgraph.snapshot()
    assert snapshot.info()["adapter.numpy"].startswith("not inspected: numpy ")
    assert data_of(snapshot.find(it.array)) == []
    vars(module)["_ARRAY_API"] = table
    assert data_of(leakgraph.snapshot().find(it.array))


def undisturbed():
    """A capture leaves every reference count unchanged."""
    it = Thing(array=numpy.zeros(RECORD.itemsize, RECORD), view=None)
    it.view = it.array[3:]

    def counts():
        return [sys.getrefcount(x) for x in (it.array, it.view, RECORD, numpy.dtype)]

    before = counts()
    for _ in range(3):
        leakgraph.snapshot().close()
    assert counts() == before
    snapshot = leakgraph.snapshot()
    assert snapshot.find(it.view).unexplained == 0
    assert snapshot.find(it.array).unexplained == 0


if __name__ == "__main__":
    globals()[sys.argv[1]]()
    print("right")
