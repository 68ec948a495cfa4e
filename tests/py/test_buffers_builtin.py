"""Python's own objects whose bytes are elsewhere."""

import array
import ctypes
import gc
import io
import mmap
import sys
import tracemalloc

import pytest
from shapes import Thing

import leakgraph

pytestmark = pytest.mark.small

#: Makes of about 100,000 bytes each, and the name of their memory.
OWNERS = {
    "bytearray": (lambda: bytearray(100_000), "bytearray.memory"),
    "array": (lambda: array.array("d", bytes(100_000)), "array.memory"),
    "ctypes": (lambda: (ctypes.c_double * 12_500)(), "ctypes.memory"),
}


def data_of(node):
    return [edge.node for edge in node.referents() if edge.node.buffer]


@pytest.mark.parametrize("name", OWNERS)
def test_the_memory_is_a_node_and_its_bytes_are_those_freed(name):
    make, called = OWNERS[name]
    tracemalloc.start()
    try:
        it = Thing(one=make())
        node = leakgraph.snapshot().find(it.one)
        (memory,) = data_of(node)
        assert memory.type_name == called and memory.synthetic
        assert node.size < 500 and memory.dominator == node
        promised = node.retained.host
        del node, memory
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        del it.one
        freed = before - tracemalloc.get_traced_memory()[0]
        assert abs(promised - freed) < 3000 and freed > 99_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", OWNERS)
def test_views_count_it_once(name):
    it = Thing(one=OWNERS[name][0]())
    it.view = memoryview(it.one)
    it.part = it.view[10:20]
    it.other = memoryview(it.one)
    snapshot = leakgraph.snapshot()
    (memory,) = data_of(snapshot.find(it.one))
    assert [edge.source for edge in memory.referrers()] == [snapshot.find(it.one)]
    assert data_of(snapshot.find(it.part)) == []
    assert 100_000 <= snapshot.find(it).retained < 110_000


def test_a_view_keeps_what_it_shows():
    it = Thing(part=memoryview(bytearray(50_000))[:1])
    node = leakgraph.snapshot().find(it.part)
    assert node.text == "B[1]" and node.facts["bytes"] == "1"
    assert node.retained > 50_000


def test_bytes_are_their_own_memory():
    it = Thing(part=memoryview(bytes(50_000))[:1])
    snapshot = leakgraph.snapshot()
    assert 50_000 < snapshot.find(it.part).retained < 51_000
    assert data_of(snapshot.find(it.part)) == []


def test_a_buffer_of_bytesio_counts_once():
    it = Thing(file=io.BytesIO(bytes(50_000)))
    it.shown = it.file.getbuffer()
    snapshot = leakgraph.snapshot()
    assert 50_000 < snapshot.find(it).retained < 52_000
    file = snapshot.find(it.file)
    (content,) = (e.node for e in file.referents() if e.label == ".content")
    assert file.size + content.size == sys.getsizeof(it.file)
    it.shown.release()


def written(text, *, read):
    stream = io.StringIO()
    for start in range(0, len(text), 1000):
        stream.write(text[start : start + 1000])
    if read:
        stream.seek(1)
        stream.read(1)
    return stream


@pytest.mark.parametrize("read", [False, True])
def test_the_text_of_stringio(read):
    it = Thing(file=written("ab" * 50_000, read=read), begun=io.StringIO("c" * 50_000))
    snapshot = leakgraph.snapshot()
    size = (4 if read else 1) * 100_000
    assert size <= snapshot.find(it.file).retained.total < 1.3 * size + 2000
    (memory,) = data_of(snapshot.find(it.begun))
    assert memory.type_name == "StringIO.memory" and memory.size >= 200_000
    it.file.close()
    it.begun.close()
    assert leakgraph.snapshot().find(it).retained.total < 5000


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the text is in a list")
def test_the_room_of_stringio_is_not_read():
    """The text is in a str, and nobody may have written the end of it."""
    it = Thing(files=[written("ab" * 50_000, read=False) for _ in range(3)])
    snapshot = leakgraph.snapshot(previews=True, contents=True)
    for file in map(snapshot.find, it.files):
        (text,) = (e.node for e in file.referents() if e.label == "content")
        assert text.type_name == "str" and text.text == ""
    equal = [row for row in snapshot.waste("all") if row.kind == "equal"]
    assert sum(row.waste.total for row in equal if row.type == "str") < 100_000


def test_an_array_that_has_more_room_than_items():
    it = Thing(one=array.array("h", range(1000)))
    it.one.append(1)
    node = leakgraph.snapshot().find(it.one)
    (memory,) = data_of(node)
    assert node.size + memory.size == sys.getsizeof(it.one) > 2100
    assert node.text == "h[1001]"
    assert node.facts == {"dtype": "h", "shape": "1001", "bytes": "2002"}


def test_a_map_of_a_file_is_mapped_and_says_which(tmp_path):
    path = tmp_path / "data.bin"
    path.write_bytes(bytes(20_000))
    with open(path, "rb") as file:
        it = Thing(map=mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    snapshot = leakgraph.snapshot()
    node = snapshot.find(it.map)
    (memory,) = data_of(node)
    assert node.text == str(path) and memory.size == 20_000
    assert memory.facts["memory"] == "mapped"
    it.map.close()
    closed = leakgraph.snapshot().find(it.map)
    assert closed.text == "closed" and data_of(closed) == []


def test_an_anonymous_map():
    private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    it = Thing(map=mmap.mmap(-1, 40_960, flags=private))
    node = leakgraph.snapshot().find(it.map)
    (memory,) = data_of(node)
    assert node.text == "anonymous" and memory.size == 40_960
    assert "memory" not in memory.facts


def test_an_anonymous_map_that_children_share():
    it = Thing(map=mmap.mmap(-1, 40_960))
    node = leakgraph.snapshot().find(it.map)
    (memory,) = data_of(node)
    assert node.text == "anonymous, shared" and memory.size == 40_960
    assert memory.facts["memory"] == "mapped"


@pytest.mark.skipif(sys.version_info < (3, 13), reason="new in version 3.13")
def test_a_map_whose_descriptor_is_closed(tmp_path):
    path = tmp_path / "data.bin"
    path.write_bytes(bytes(20_000))
    with open(path, "r+b") as file:
        it = Thing(map=mmap.mmap(file.fileno(), 0, trackfd=False))
    node = leakgraph.snapshot().find(it.map)
    (memory,) = data_of(node)
    assert node.text == str(path) and memory.facts["memory"] == "mapped"


def test_what_lies_in_the_object_makes_no_memory():
    it = Thing(number=ctypes.c_int(3), parts=(ctypes.c_int * 2)())
    it.view = memoryview(it.parts)
    snapshot = leakgraph.snapshot()
    for name in ("number", "parts", "view"):
        assert data_of(snapshot.find(getattr(it, name))) == [], name


def test_a_released_view():
    it = Thing(view=memoryview(bytearray(9)))
    it.view.release()
    assert leakgraph.snapshot().find(it.view).text == "released"


def test_a_part_of_a_structure_is_its_owners():
    class Pair(ctypes.Structure):
        _fields_ = [("one", ctypes.c_byte * 30_000), ("other", ctypes.c_byte * 30_000)]

    it = Thing(part=Pair().other)
    node = leakgraph.snapshot().find(it.part)
    assert data_of(node) == [] and node.retained >= 60_000


def test_where_a_partial_capture_stops_the_size_is_whole():
    it = Thing(one=bytearray(70_000))
    for depth in range(1, 6):
        snapshot = leakgraph.snapshot(roots=[it], max_depth=depth)
        node = snapshot.find(it.one)
        if node is not None:
            break
    assert node.frontier and node.size > 70_000
    assert "bytearray.memory" not in {row.type for row in snapshot.types(None)}
