"""Tests DataFrames and Series of pandas: python ... CASE.

test_pandas_frames.py runs this script; malloc serves every byte.
"""

import gc
import sys
from pathlib import Path

import numpy
import pandas

import leakgraph

sys.path.insert(0, str(Path(__file__).parents[1]))

from malloced import in_use
from shapes import Thing, references_to_classes

ROWS = 20_000


def frame():
    return pandas.DataFrame(
        {
            "price": numpy.arange(ROWS, dtype=float),
            "size": numpy.arange(ROWS, dtype=float),
            "count": numpy.arange(ROWS),
            "kind": pandas.Categorical(["x", "y"] * (ROWS // 2)),
        }
    )


def check_freed(holder, name, part=0.01):
    """What an attribute retains is what malloc gets back from its deletion."""
    leakgraph.snapshot().close()
    gc.collect()
    promised = leakgraph.why(getattr(holder, name)).retained.host
    gc.collect()
    before = in_use()
    delattr(holder, name)
    gc.collect()
    freed = before - in_use()
    assert abs(promised - freed) <= part * freed, (promised, freed)
    return promised


def child(node, label):
    """Find a referent of an instance, in its dict or outside it."""
    edges = list(node.referents())
    for edge in node.referents():
        if edge.label == ".__dict__":
            edges += edge.node.referents()
    (found,) = (e.node for e in edges if e.label in (label, f"[{label[1:]!r}]"))
    return found


def blocks():
    """The path to an array has pandas' names, and shows its columns."""
    it = Thing(frame=frame())
    snapshot = leakgraph.snapshot()
    node = snapshot.find(it.frame)
    assert node.text == f"{ROWS}x4"
    manager = child(node, "._mgr")
    found = {}
    for edge in child(manager, ".blocks").referents():
        values = child(edge.node, ".values")
        found[edge.node.facts["columns"]] = values.label
        assert edge.node.text == f"[{edge.node.facts['columns']}]"
    assert found == {
        "price, size": f"ndarray float64[2, {ROWS}]",
        "count": f"ndarray int64[1, {ROWS}]",
        "kind": "Categorical",
    }
    path = snapshot.why(it.frame._mgr.blocks[0].values).path
    assert list(path.labels)[-3:] == [".blocks", "[0]", ".values"]
    assert {e.label for e in manager.referents()} >= {".blocks", ".axes"}


def many_columns():
    it = Thing(frame=pandas.DataFrame(numpy.zeros((10, 50))))
    it.frame["b"] = 1
    it.frame.insert(3, "a", 2)
    snapshot = leakgraph.snapshot()
    found = {n.facts["columns"] for n in snapshot.nodes if "columns" in n.facts}
    assert found == {"0, 1, 2, 3 ... (50 columns)", "b", "a"}
    assert it.frame.shape == (10, 52)


def extension_arrays():
    """Extension arrays have names, too."""
    it = Thing(kind=pandas.Categorical(["x", "y"] * 1000))
    it.time = pandas.date_range("2020-01-01", periods=1000, tz="UTC").array
    it.whole = pandas.array([1, None] * 1000, dtype="Int64")
    snapshot = leakgraph.snapshot()
    assert "int8[2000]" in child(snapshot.find(it.kind), "._ndarray").label
    assert "datetime64[1000]" in child(snapshot.find(it.time), "._ndarray").label
    assert "int64[2000]" in child(snapshot.find(it.whole), "._data").label


def series():
    it = Thing(one=pandas.Series(numpy.zeros(1000), name="losses"))
    it.other = pandas.Series([1.0, 2.0])
    it.odd = pandas.Series([1.0], name=3)
    snapshot = leakgraph.snapshot()
    texts = {name: snapshot.find(value).text for name, value in vars(it).items()}
    assert texts == {"one": "losses[1000]", "other": "[2]", "odd": "[1]"}


def bytes_of_frames():
    """Retained bytes agree with pandas' own count, and with what is freed."""
    it = Thing(frame=frame())
    counted = int(it.frame.memory_usage(deep=True).sum())
    retained = leakgraph.why(it.frame).retained.host
    assert 0 <= retained - counted < 0.05 * counted, (retained, counted)
    check_freed(it, "frame")


def strings():
    """Strings of every kind count; those of Python are objects of their own."""
    words = [f"word number {i}" * 20 for i in range(ROWS)]
    it = Thing(python=pandas.Series(words, dtype="string[python]"))
    del words
    check_freed(it, "python", 0.2)
    it.fixed = pandas.Series(["same"] * (10 * ROWS), dtype="category")
    check_freed(it, "fixed", 0.05)


def arrow_strings():
    """pyarrow's memory under a Series counts."""
    try:
        import pyarrow
    except ImportError:
        return
    words = [f"word number {i}" for i in range(ROWS)]
    it = Thing(arrow=pandas.Series(words, dtype="string[pyarrow]"))
    del words
    it.other = pandas.Series(
        range(ROWS), dtype=pandas.ArrowDtype(pyarrow.int64()), name="n"
    )
    snapshot = leakgraph.snapshot()
    assert snapshot.find(it.other).retained >= 8 * ROWS
    assert snapshot.find(it.arrow).retained >= 12 * ROWS
    snapshot.close()
    del snapshot
    check_freed(it, "arrow", 0.02)


def tables():
    """After a look-up, an index has a hash table, whose bytes count."""
    words = [f"word {i * 7919 % ROWS}" for i in range(ROWS)]
    index = pandas.Index(words, dtype=object)
    it = Thing(words=words, index=index)
    del words, index
    before = leakgraph.why(it.index).retained.host
    it.index.get_loc("word 5")
    snapshot = leakgraph.snapshot()
    node = snapshot.find(it.index)
    (table,) = (
        n for n in snapshot.nodes if "HashTable" in n.type_name and n.size > 1e5
    )
    assert table.size > 16 * ROWS
    assert node.retained.host - before >= table.size
    snapshot.close()
    del snapshot, node, table
    check_freed(it, "index", 0.02)


def views():
    """A few rows that keep all of them are a finding."""
    it = Thing(few=frame().iloc[:5])
    findings = [f for f in leakgraph.findings() if f.pattern == "dataframe-slice"]
    assert any("it.few" in f.held_by for f in findings), str(leakgraph.findings())
    assert len(it.few) == 5


def forked():
    """A forked child has the names, but not the answers of pandas' own code."""
    it = Thing(frame=frame(), index=pandas.Index(["b", "a"], dtype=object))
    it.index.get_loc("a")
    leakgraph.save_snapshot("it.lgs", fork=True)
    read = leakgraph.load("it.lgs")
    (node,) = (n for n in read.nodes if n.address == id(it.frame))
    assert child(child(node, "._mgr"), ".blocks").type_name == "tuple"
    tables = [n for n in read.nodes if n.type_name.endswith("HashTable")]
    assert tables and all("forked" in n.facts["not inspected"] for n in tables)


def strange():
    """leakgraph does not guess if pandas lays blocks out differently."""
    from pandas._libs import internals as module

    it = Thing(frame=frame())
    real = module.BlockManager
    module.BlockManager = Thing
    snapshot = leakgraph.snapshot()
    inspected = snapshot.info()["adapter.pandas"]
    assert inspected.startswith(f"not inspected: pandas {pandas.__version__} stores"), (
        inspected
    )
    assert "memory of pandas was not inspected" in str(snapshot.memory())
    assert snapshot.find(it.frame).retained > 25 * ROWS
    module.BlockManager = real
    inspected = leakgraph.snapshot().info()["adapter.pandas"]
    assert inspected == f"inspected: {pandas.__version__}"


def elsewhere():
    """It also says so if no manager of blocks holds any."""
    kind = type(frame()._mgr)
    it = Thing(manager=kind.__new__(kind))
    inspected = leakgraph.snapshot().info()["adapter.pandas"]
    assert inspected.startswith("not inspected: "), inspected
    it.frame = frame()
    inspected = leakgraph.snapshot().info()["adapter.pandas"]
    assert inspected == f"inspected: {pandas.__version__}"


def undisturbed():
    """A capture caches nothing on a frame."""
    it = Thing(frame=frame(), index=pandas.Index(["b", "a"]))
    leakgraph.snapshot().close()
    gc.collect()
    before = {n: set(vars(v)) for n, v in vars(it).items()}
    cached = set(it.index._cache)
    objects = len(gc.get_objects())
    leakgraph.snapshot().close()
    assert len(gc.get_objects()) == objects
    assert {n: set(vars(v)) for n, v in vars(it).items()} == before
    assert set(it.index._cache) == cached


def classes():
    """The first capture makes no object of pandas', of which Cython would keep some."""
    it = Thing(frame=frame(), index=pandas.Index(["b", "a"], dtype=object))
    it.index.get_loc("a")
    it.time = pandas.date_range("2020-01-01", periods=10)
    gc.collect()
    gc.disable()
    before = references_to_classes()
    snapshot = leakgraph.snapshot()
    assert snapshot.info()["adapter.pandas"] == f"inspected: {pandas.__version__}"
    snapshot.close()
    del snapshot
    assert references_to_classes() == before


if __name__ == "__main__":
    gc.freeze()  # collections leave out what was imported
    globals()[sys.argv[1]]()
    print("right")
