"""Tests arrays, tables and buffers of pyarrow: python ... CASE.

test_pyarrow_tables.py runs this script; pyarrow's memory comes from malloc.
"""

import gc
import sys
from pathlib import Path

import pyarrow

import leakgraph

sys.path.insert(0, str(Path(__file__).parents[1]))

from malloced import in_use
from shapes import Thing, references_to_classes


def memory_of(thing, snapshot=None):
    """Return the memory that an object refers to."""
    node = (snapshot or leakgraph.snapshot()).find(thing)
    return [edge.node for edge in node.referents() if edge.node.buffer]


def check_freed(holder, name, part=0.01):
    """What an attribute retains is what malloc gets back from its deletion."""
    leakgraph.snapshot().close()
    gc.collect()
    promised = leakgraph.why(getattr(holder, name)).retained.host
    gc.collect()
    before = in_use()
    delattr(holder, name)
    freed = before - in_use()
    assert abs(promised - freed) <= part * freed, (promised, freed)
    return promised


def table(rows=20_000):
    return pyarrow.table(
        {
            "number": [float(i) for i in range(rows)],
            "name": [f"name {i}" for i in range(rows)],
            "list": [[i, i] for i in range(rows)],
            "kind": pyarrow.array(["a", "b"] * (rows // 2)).dictionary_encode(),
        }
    )


def arrays():
    it = Thing(array=pyarrow.array(range(50_000)))
    snapshot = leakgraph.snapshot()
    node = snapshot.find(it.array)
    (memory,) = memory_of(it.array, snapshot)
    assert memory.address == it.array.buffers()[1].address
    assert memory.size == 400_000 and memory.type_name == "pyarrow.memory"
    assert memory.text == node.text == "int64[50000]"
    assert node.facts == {"dtype": "int64", "shape": "50000", "bytes": "400000"}
    assert snapshot.info()["adapter.pyarrow"] == f"inspected: {pyarrow.__version__}"
    check_freed(it, "array")


def slices():
    """A slice keeps its whole original, which counts once."""
    it = Thing(array=pyarrow.array([None, *range(99_999)]))
    it.slice = it.array[10:20]
    it.buffer = it.array.buffers()[1]
    it.cut = it.buffer.slice(80, 40)
    snapshot = leakgraph.snapshot()
    whole = memory_of(it.array, snapshot)
    assert len(whole) == 2 and memory_of(it.slice, snapshot) == whole
    assert memory_of(it.buffer, snapshot) == memory_of(it.cut, snapshot)
    assert memory_of(it.cut, snapshot)[0] in whole
    assert snapshot.find(it.slice).facts["bytes"] == "82"
    assert snapshot.find(it.cut).facts["bytes"] == "40"
    del it.array, it.buffer, it.cut, whole, snapshot
    assert check_freed(it, "slice") > 800_000


def waste():
    """A few elements that keep all others are a finding."""
    it = Thing(few=pyarrow.array(range(1_000_000))[:3])
    (finding,) = leakgraph.findings()
    assert finding.pattern == "small-view" and "it.few" in finding.held_by
    assert it.few[0].as_py() == 0


def tables():
    it = Thing(table=table())
    snapshot = leakgraph.snapshot()
    node = snapshot.find(it.table)
    assert node.text == "20000x4"
    assert node.facts["columns"] == "number, name, list, kind"
    assert int(node.facts["bytes"]) == it.table.nbytes
    labels = {e.label: e.node for e in node.referents() if e.node.buffer}
    assert set(labels) == {f"column {name}" for name in it.table.column_names}
    assert labels["column number"].text == "number: double[20000]"
    it.batch = pyarrow.RecordBatch.from_pydict({"x": [1] * 10_000})
    assert memory_of(it.batch)[0].text == "x: int64[10000]"
    snapshot.close()
    del node, labels, snapshot
    check_freed(it, "table")


def chunks():
    it = Thing(chunks=pyarrow.chunked_array([range(10_000), range(5_000)]))
    sizes = sorted(node.size for node in memory_of(it.chunks))
    assert sizes == [40_000, 80_000]
    it.table = pyarrow.concat_tables([table(), table()])
    assert len(memory_of(it.table)) > 12
    check_freed(it, "table")


def nested():
    """leakgraph finds dictionaries at any depth."""
    words = pyarrow.array([f"word {i}" * 100 for i in range(1000)])
    kind = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    flat = pyarrow.DictionaryArray.from_arrays(
        pyarrow.array([i % 1000 for i in range(5000)], pyarrow.int32()), words
    )
    offsets = pyarrow.array(range(5001), pyarrow.int32())
    it = Thing(
        flat=flat,
        struct=pyarrow.StructArray.from_arrays([flat], ["x"]),
        list=pyarrow.ListArray.from_arrays(offsets, flat),
        map=pyarrow.MapArray.from_arrays(offsets, offsets[:5000], flat),
    )
    assert it.struct.type.field(0).type == kind
    snapshot = leakgraph.snapshot()
    letters = words.buffers()[2].address
    for name, array in vars(it).items():
        found = {node.address for node in memory_of(array, snapshot)}
        assert letters in found, name
    del snapshot, words, flat, array
    del it.flat, it.struct, it.list
    assert check_freed(it, "map") > 600_000


def numpy_arrays():
    """Memory that numpy and pyarrow share counts once, in both directions."""
    import numpy

    it = Thing(array=numpy.arange(100_000.0))
    it.arrow = pyarrow.array(it.array)
    it.other = pyarrow.array(range(100_000))
    it.view = it.other.to_numpy()
    snapshot = leakgraph.snapshot()
    assert memory_of(it.array, snapshot) == memory_of(it.arrow, snapshot)
    assert len(memory_of(it.other, snapshot)) == 1
    assert memory_of(it.view, snapshot) == []
    kinds = ("numpy.memory", "pyarrow.memory")
    memory = [n for n in snapshot.nodes if n.type_name in kinds and n.size > 100_000]
    assert [node.size for node in memory] == [800_000, 800_000]
    del it.array, snapshot
    assert check_freed(it, "arrow") > 800_000


def python_bytes():
    """The size of bytes includes their memory; a bytearray has a node for its own."""
    it = Thing(data=bytes(500_000), array=bytearray(300_000))
    it.one, it.other = pyarrow.py_buffer(it.data), pyarrow.py_buffer(it.array)
    it.part = it.one.slice(1000, 10)
    snapshot = leakgraph.snapshot()
    for buffer in (it.one, it.part):
        (edge,) = (e for e in snapshot.find(buffer).referents() if e.label == "data")
        assert edge.node.address == id(it.data)
    assert memory_of(it.other, snapshot) == memory_of(it.array, snapshot)
    assert "pyarrow.memory" not in {node.type_name for node in snapshot.nodes}
    del it.data, it.part, edge, snapshot, buffer
    assert check_freed(it, "one") > 500_000


def streams():
    """A table read from a message is one piece of memory, of the message's length."""
    sink = pyarrow.BufferOutputStream()
    it = Thing(table=table())
    with pyarrow.ipc.new_stream(sink, it.table.schema) as writer:
        writer.write_table(it.table)
    it.message = sink.getvalue()
    it.read = pyarrow.ipc.open_stream(it.message).read_all()
    snapshot = leakgraph.snapshot()
    (memory,) = {*memory_of(it.read, snapshot), *memory_of(it.message, snapshot)}
    assert memory.size >= it.read.nbytes and memory.text == ""


def mapped():
    """A mapped file does not count as the process's own memory."""
    it = Thing(table=table())
    size = it.table.nbytes
    with pyarrow.ipc.new_file("it.arrow", it.table.schema) as writer:
        writer.write_table(it.table)
    before = leakgraph.memory().host
    it.read = pyarrow.ipc.open_file(pyarrow.memory_map("it.arrow")).read_all()
    after = leakgraph.memory().host
    assert after["mapped"] - before["mapped"] >= size
    assert after["arrays"] - before["arrays"] < 10_000
    assert after["pyarrow"] >= size


def pool():
    """The pool's sum includes memory that no object has."""
    assert not leakgraph.memory().host.get("pyarrow")
    it = Thing(array=pyarrow.array(range(10_000)))
    memory = leakgraph.memory()
    assert memory.host["pyarrow"] == pyarrow.total_allocated_bytes() >= 80_000
    assert "pyarrow's pool" in str(memory) and it.array is not None


def save_forked(name="it.lgs"):
    leakgraph.save_snapshot(name, fork=True)
    return leakgraph.load(name)


def charged(snapshot, things):
    """Return the text of each object, and the memory it refers to with names."""
    nodes = {node.address: node for node in snapshot.nodes}
    return {
        name: {
            (edge.label, edge.node.address, edge.node.size)
            for edge in nodes[id(thing)].referents()
            if edge.node.buffer or edge.node.type_name == "bytes"
        }
        for name, thing in things.items()
    }


def check_forked_alike(it):
    direct, read = leakgraph.snapshot(), save_forked()
    assert read.info()["adapter.pyarrow"] == f"inspected: {pyarrow.__version__}"
    expected = charged(direct, vars(it))
    assert charged(read, vars(it)) == expected
    assert all(expected.values()), expected
    facts = ("dtype", "shape", "columns", "not inspected")
    nodes = {node.address: node for node in read.nodes}
    for name, thing in vars(it).items():
        node, twin = direct.find(thing), nodes[id(thing)]
        assert not twin.text or twin.text == node.text, name
        for fact in facts:
            known = twin.facts.get(fact)
            assert known in (node.facts.get(fact), None), (name, known)
    return nodes


def forked():
    """A forked child reads from memory what pyarrow reports in the process."""
    it = Thing(
        array=pyarrow.array([None, *range(9_999)]),
        words=pyarrow.array(["a", None, "long" * 2000]),
        truth=pyarrow.array([True, None] * 5000),
        table=table(2000),
        batch=pyarrow.RecordBatch.from_pydict(
            {"x": [1] * 1000, "y" * 200: ["b"] * 1000}
        ),
        chunks=pyarrow.chunked_array([range(10), range(5), range(70)]),
        bytes=pyarrow.py_buffer(bytes(5000)),
    )
    it.slice = it.array[10:20]
    it.row = it.table.slice(7, 1)
    it.cut = it.array.buffers()[1].slice(80, 40)
    it.many = pyarrow.concat_tables([it.table, it.table.slice(5, 100)])
    it.wide = pyarrow.table({f"column {i}": [i] for i in range(9)})
    nodes = check_forked_alike(it)
    assert nodes[id(it.row)].text == "1x4"
    assert nodes[id(it.slice)].text == "int64[10]"
    assert nodes[id(it.wide)].facts["columns"].endswith(" ... (9 columns)")
    memory = {edge.node.text for edge in nodes[id(it.table)].referents()}
    assert "number: double[2000]" in memory
    assert save_forked().memory().host["pyarrow"] >= it.table.nbytes


def forked_nested():
    """The same for arrays in arrays, dictionaries and types with parameters."""
    words = pyarrow.array([f"word {i}" for i in range(1000)])
    numbers = pyarrow.array(range(1000), pyarrow.int32())
    flat = pyarrow.DictionaryArray.from_arrays(numbers, words)
    offsets = pyarrow.array(range(1001), pyarrow.int32())
    kinds = pyarrow.array([0, 1] * 500, pyarrow.int8())
    it = Thing(
        flat=flat,
        struct=pyarrow.StructArray.from_arrays([flat, numbers], ["x", "y"]),
        list=pyarrow.ListArray.from_arrays(offsets, flat),
        map=pyarrow.MapArray.from_arrays(offsets, offsets[:1000], flat),
        union=pyarrow.UnionArray.from_sparse(kinds, [numbers, words]),
        runs=pyarrow.RunEndEncodedArray.from_arrays([10, 1000], [1, 2]),
        time=pyarrow.array([1, 2, 3], pyarrow.timestamp("us", "UTC")),
        decimal=pyarrow.array([1, 2], pyarrow.decimal128(20, 2)),
        views=pyarrow.array(["short", "long" * 50], pyarrow.string_view()),
        fixed=pyarrow.array([b"abcd", b"efgh"], pyarrow.binary(4)),
    )
    check_forked_alike(it)


def forked_growth():
    """The memory of what grows is the same whichever way it was captured."""
    best = []

    def step():
        rows = pyarrow.array(range(16_000))
        best.append(pyarrow.table({"id": rows}).slice(7, 1))

    captures = {"forked": [], "direct": []}
    for i in range(3):
        for _ in range(10):
            step()
        captures["forked"].append(save_forked(f"{i}.lgs"))
        captures["direct"].append(leakgraph.snapshot())
    for snapshots in captures.values():
        (row, *_) = leakgraph.diff(*snapshots, steps=[10, 20, 30]).rows
        assert (row.type, row.verdict) == ("pyarrow.lib.Table", "accumulates")
        assert 128_000 <= row.per_step < 128_500, row


def forked_strange():
    """A forked child reads no memory of a layout that it has not verified."""
    it = Thing(array=pyarrow.array(range(10_000)))
    pyarrow.lib.py_buffer = "no function"
    message = "memory of pyarrow was not inspected: pyarrow's code may not run in a"
    assert message in str(save_forked().memory()) and it.array is not None
    assert len(memory_of(it.array)) == 1


def strange():
    """leakgraph does not guess at memory that pyarrow does not report."""
    it = Thing(array=pyarrow.array(range(10_000)), buffer=pyarrow.py_buffer(b"1"))
    real = pyarrow.lib.ChunkedArray
    pyarrow.lib.ChunkedArray = "no class"
    snapshot = leakgraph.snapshot()
    assert "lacks classes" in snapshot.info()["adapter.pyarrow"]
    assert "memory of pyarrow was not inspected" in str(snapshot.memory())
    pyarrow.lib.ChunkedArray = real

    class Own(pyarrow.ExtensionArray):
        pass

    class Kind(pyarrow.ExtensionType):
        def __init__(self):
            super().__init__(pyarrow.int64(), "kind")

        def __arrow_ext_serialize__(self):
            return b""

        def __arrow_ext_class__(self):
            return Own

    it.own = Own.from_storage(Kind(), pyarrow.array(range(1000)))
    it.chunks = pyarrow.chunked_array([it.own])
    it.table = pyarrow.table({"number": [1.0] * 1000, "kind": it.own})
    snapshot = leakgraph.snapshot()
    (memory,) = memory_of(it.own, snapshot)
    assert memory.size == 8000
    assert snapshot.find(it.own).text == "extension<kind>[1000]"
    for thing in (it.chunks, it.table):
        facts = snapshot.find(thing).facts
        assert facts["not inspected"] == "pyarrow does not report its memory"
    assert memory_of(it.table, snapshot)[0].text == "number: double[1000]"
    half = [kind.__new__(kind) for kind in (pyarrow.Table, pyarrow.Buffer)]
    leakgraph.snapshot().close()
    assert len(half) == 2


def undisturbed():
    """A capture leaves no objects and no memory behind."""
    it = Thing(table=table(), array=pyarrow.array([1, 2])[:1])
    leakgraph.snapshot().close()
    gc.collect()
    objects, allocated = len(gc.get_objects()), pyarrow.total_allocated_bytes()
    leakgraph.snapshot().close()
    assert len(gc.get_objects()) == objects
    assert pyarrow.total_allocated_bytes() == allocated
    assert it.array[0].as_py() == 1


def classes():
    """The first capture leaves no object of pyarrow's in a free list."""
    it = Thing(table=table(), array=pyarrow.array([1, 2])[:1])
    it.batch = pyarrow.RecordBatch.from_pydict({"x": [1] * 10})
    gc.collect()
    gc.disable()
    before = references_to_classes()
    leakgraph.snapshot().close()
    assert references_to_classes() == before


if __name__ == "__main__":
    gc.freeze()  # collections leave out what was imported
    globals()[sys.argv[1]]()
    print("right")
