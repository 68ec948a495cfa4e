"""Tests Snapshot: its content, its sequences, its columns, its lifetime."""

import gc
import io
import os
import sys
import threading
import weakref

import pytest
from builds import FREE_THREADED, PUBLIC

import leakgraph


def test_repr_counts(snap):
    nodes, edges = len(snap.nodes), len(snap.edges)
    assert repr(snap) == (
        f"<leakgraph.Snapshot of pid {os.getpid()}: {nodes:,} objects,"
        f" {edges:,} references>"
    )
    assert len(snap) == nodes > 10_000
    assert edges > nodes


def test_repr_html_is_the_report(snap):
    html = snap._repr_html_()
    assert html.startswith("<iframe ") and f"{len(snap):,}&lt;/b&gt; objects" in html


def test_repr_html_of_a_part_names_types():
    html = leakgraph.snapshot(roots=[{"key": [1]}])._repr_html_()
    assert "objects" in html and ">dict<" in html


def test_info(snap):
    info = snap.info()
    assert info["pid"] == os.getpid()
    assert info["python"].startswith(".".join(map(str, sys.version_info[:2])))
    assert info["capture.method"] == snap.method
    assert isinstance(info, dict) and dict(info) == info
    assert repr(info) == repr(dict(info))
    assert str(os.getpid()) in str(info)
    assert "\n" in str(info)
    assert not snap.is_partial and info["partial"] == "no"


def test_nodes_are_a_lazy_sequence(snap):
    nodes = snap.nodes
    assert nodes[0].index == 0
    assert nodes[-1].index == len(nodes) - 1
    assert [node.index for node in nodes[10:20:3]] == [10, 13, 16, 19]
    assert [node.index for node in nodes[10:20][::-1][:2]] == [19, 18]
    assert len(nodes[5:5]) == 0
    assert sum(1 for _ in nodes[:1000]) == 1000
    assert repr(nodes) == f"<leakgraph.Nodes: {len(nodes):,}>"
    for index in (len(nodes), -len(nodes) - 1, 1 << 80):
        with pytest.raises(IndexError):
            nodes[index]
    with pytest.raises(TypeError):
        nodes["dict"]


def test_edges_are_a_lazy_sequence(snap):
    edges = snap.edges
    edge = edges[len(edges) // 2]
    assert edge.index == len(edges) // 2
    assert edge.node == edge.target
    assert edge in list(edge.source.referents())
    assert edge in list(edge.target.referrers())
    assert edges[-1] == edges[len(edges) - 1]


def test_roots(snap):
    modules = {root.name: root.node for root in snap.roots if root.kind == "module"}
    assert modules["sys"] == snap.find(sys)
    assert modules[__name__] == snap.find(sys.modules[__name__])
    assert all(root.node.is_root for root in snap.roots[:50])
    assert any(root.kind == "thread" for root in snap.roots)


def test_types(snap):
    table = snap.types(limit=None)
    assert sum(row.count for row in table) == table.objects == len(snap)
    assert sum(row.size for row in table) == table.size
    assert table.size.host == sum(n.size for n in snap.nodes)
    assert [row.size for row in table] == sorted(
        (row.size for row in table), reverse=True
    )
    assert "dict" in {row.type for row in table[:20]}
    assert (
        "dict" in str(table)
        and "\n".join(repr(table).splitlines()[:60]) in str(table)
        and len(snap.types()) == 20 < table.types
    )
    assert "<table>" in table._repr_html_()


def test_types_sorted_and_limited(snap):
    by_count = snap.types(by="count", limit=5)
    assert len(by_count) == 5
    counts = [row.count for row in by_count]
    assert counts == sorted(counts, reverse=True)
    names = [row.type for row in snap.types(None, by="type")]
    assert names == sorted(names)
    with pytest.raises(leakgraph.ArgumentError, match="by takes size, count or type"):
        snap.types(by="bytes")
    with pytest.raises(ValueError, match="limit"):
        snap.types(limit=0)


def test_table_outlives_its_snapshot():
    with leakgraph.snapshot(roots=[[1, 2]]) as partial:
        table = partial.types()
    assert "list" in str(table)
    assert table[0].count >= 1


@pytest.mark.skipif(PUBLIC, reason="the public method sees no frames")
def test_threads_tell_the_locals():
    started, stop = threading.Event(), threading.Event()

    def worker():
        precious = [bytearray(1 << 20)]  # noqa: F841
        started.set()
        stop.wait()

    thread = threading.Thread(target=worker, name="loader")
    thread.start()
    try:
        started.wait()
        snapshot = leakgraph.snapshot()
    finally:
        stop.set()
        thread.join()
    threads = snapshot.threads()
    assert "worker" in str(threads)
    (line,) = (line for line in str(threads).splitlines() if "precious" in line)
    assert line.endswith(" retains 1.00 MiB")
    (row,) = (row for row in threads if row.name == "precious")
    assert row.kind == "local" and row.depth == 2 and not row.held_elsewhere
    assert row.retained.host > (1 << 20) > row.size.host > 0
    frame = threads[threads.index(row) - 1]
    assert frame.kind == "frame" and "worker()" in frame.name
    assert "loader" in [row.name for row in threads if row.kind == "thread"]


@pytest.mark.skipif(PUBLIC, reason="the public method sees no frames")
def test_threads_of_a_part_of_the_heap_tell_sizes_only():
    def run():
        precious = [bytearray(1 << 20)]  # noqa: F841
        yield

    suspended = run()
    next(suspended)
    threads = leakgraph.snapshot(roots=[suspended]).threads()
    text = str(threads)
    assert [row.kind for row in threads] == ["suspended", "local"]
    assert {row.retained for row in threads} == {None}
    assert threads[1].size.host > 0 and threads[1].held_elsewhere is None
    assert "precious" in text and "whole snapshot" in text
    assert "retains" not in text
    with pytest.raises(TypeError):
        leakgraph.snapshot().threads(1, True)


def test_columns_are_the_graph(snap):
    size = snap.column("size")
    assert size.readonly and size.format == "I" and size.itemsize == 4
    assert len(size) == len(snap)
    first = snap.column("first_edge")
    assert len(first) == len(snap) + 1 and first[-1] == len(snap.edges)
    target, address = snap.column("edge_target"), snap.column("address")
    node = snap.find(snap)
    node = node if node is not None else snap.nodes[100]
    assert address[node.index] == node.address
    assert [target[i] for i in range(first[node.index], first[node.index + 1])] == [
        edge.node.index for edge in node.referents()
    ]
    with pytest.raises(leakgraph.ArgumentError, match="no column 'sizes'"):
        snap.column("sizes")
    with pytest.raises(TypeError):
        size[0] = 1


def test_column_names(snap):
    nodes, edges = len(snap), len(snap.edges)
    lengths = {
        "address": nodes,
        "type": nodes,
        "size": nodes,
        "refcount": nodes,
        "found": nodes,
        "node_flags": nodes,
        "first_edge": nodes + 1,
        "edge_target": edges,
        "edge_payload": edges,
        "edge_kind": edges,
    }
    for name, length in lengths.items():
        assert len(snap.column(name)) == length, name


def test_column_keeps_the_snapshot_open():
    snapshot = leakgraph.snapshot(roots=[[1, 2]])
    column = snapshot.column("type")
    with pytest.raises(BufferError, match="release"):
        snapshot.close()
    assert len(column) == len(snapshot)
    column.release()
    snapshot.close()
    assert snapshot.closed


def test_column_keeps_the_snapshot_alive():
    column = leakgraph.snapshot(roots=[[1, 2]]).column("address")
    gc.collect()
    assert all(column.tolist())


def test_close():
    with leakgraph.snapshot(roots=[[1, 2]]) as snapshot:
        node = snapshot.node(0)
        edge = snapshot.edges[0]
    snapshot.close()
    assert repr(snapshot) == "<leakgraph.Snapshot, closed>"
    assert "closed" in repr(node) and "closed" in repr(edge)
    uses = [
        lambda: len(snapshot),
        lambda: snapshot.nodes,
        lambda: snapshot.find(node),
        lambda: snapshot.select("type:dict"),
        lambda: snapshot.save("never.lgs"),
        lambda: snapshot.show_refs(node),
        lambda: snapshot.column("size"),
        lambda: snapshot.info(),
        lambda: snapshot.types(),
        lambda: snapshot.__enter__(),
        lambda: node.size,
        lambda: node.is_root,
        lambda: node.referrers(),
        lambda: edge.label,
    ]
    for use in uses:
        with pytest.raises(leakgraph.ClosedError, match="closed"):
            use()


def test_nodes_keep_the_graph():
    node = leakgraph.snapshot(roots=[["x"]]).node(0)
    gc.collect()
    assert node.type_name == "list" and len(node.snapshot) > 1


def test_weak_reference():
    snapshot = leakgraph.snapshot(roots=[[1]])
    reference = weakref.ref(snapshot)
    assert reference() is snapshot
    del snapshot
    assert reference() is None


def test_cannot_be_made_by_hand():
    for kind in (leakgraph.Snapshot, leakgraph.Node, leakgraph.Drawing):
        with pytest.raises(TypeError):
            kind()
        with pytest.raises(TypeError):
            kind.__new__(kind)
        with pytest.raises(TypeError):
            object.__new__(kind)


def test_partial():
    inner = {"deep": [1.5]}
    partial = leakgraph.snapshot(roots=[inner])
    assert partial.is_partial and "partial" in repr(partial)
    assert partial.find(inner) is not None
    assert partial.find(inner["deep"]) is not None
    shallow = leakgraph.snapshot(roots=[[[["bottom"]]]], max_depth=1)
    assert len(shallow) < len(leakgraph.snapshot(roots=[[[["bottom"]]]]))


@pytest.mark.skipif(FREE_THREADED, reason="the smallest object has 32 bytes there")
def test_small_neighbours_are_told_apart():
    """The map from addresses to nodes has one number for the 32 bytes of two."""
    things = [object() for _ in range(1000)]
    places = {id(thing) // 32 for thing in things}
    assert len(places) < len(things)
    part = leakgraph.snapshot(roots=[things])
    found = [part.find(thing) for thing in things]
    assert [node.address for node in found] == [id(thing) for thing in things]
    assert all(node.type_name == "object" and node.found == 1 for node in found)


def test_keys_are_left_out_on_request():
    data = {"a-very-secret-key": 1}
    kept = leakgraph.snapshot(roots=[data])
    left_out = leakgraph.snapshot(roots=[data], keys=False)

    def labels(snapshot):
        return [edge.label for edge in snapshot.find(data).referents()]

    assert "['a-very-secret-key']" in labels(kept)
    assert not any("secret" in label for label in labels(left_out))


def test_previews_on_request():
    data = ["a text worth a look"]
    assert leakgraph.snapshot(roots=[data]).find(data[0]).text == ""
    seen = leakgraph.snapshot(roots=[data], previews=True)
    assert "worth a look" in seen.find(data[0]).text


def test_save_and_load(snap, tmp_path):
    for compress in (0, 1, True, False):
        path = snap.save(tmp_path / "x.lgs", compress=compress)
        loaded = leakgraph.load(path)
        assert repr(loaded) == repr(snap)
        assert loaded.info() == snap.info()
        for name in ("address", "size", "found", "edge_target", "edge_kind"):
            assert loaded.column(name) == snap.column(name)


def test_path_is_filled_in(tmp_path):
    snapshot = leakgraph.snapshot(roots=[[1]])
    pattern = str(tmp_path / "a-{pid}-{n}.lgs")
    pid = os.getpid()
    assert snapshot.save(pattern) == str(tmp_path / f"a-{pid}-1.lgs")
    assert snapshot.save(pattern) == str(tmp_path / f"a-{pid}-2.lgs")
    assert len(list(tmp_path.iterdir())) == 2


def test_save_snapshot(tmp_path):
    info = leakgraph.save_snapshot(tmp_path / "all-{pid}.lgs")
    assert info.path == str(tmp_path / f"all-{os.getpid()}.lgs")
    assert info.bytes == os.path.getsize(info.path)
    loaded = leakgraph.load(info.path)
    assert (info.nodes, info.edges) == (len(loaded.nodes), len(loaded.edges))
    assert info.method == loaded.method and info.seconds > 0


def test_progress_is_called_back(tmp_path):
    calls = []
    leakgraph.snapshot(progress=lambda phase, done: calls.append((phase, done)))
    assert calls[-1] == ("done", 1.0)
    assert all(isinstance(phase, str) and 0 <= done <= 1 for phase, done in calls)
    with pytest.raises(TypeError, match="progress"):
        leakgraph.snapshot(progress=3)


def test_progress_may_stop_the_work():
    def stop(phase, done):
        raise leakgraph.CancelledError(phase)

    with pytest.raises(leakgraph.CancelledError):
        leakgraph.snapshot(progress=stop)


def test_quiet(capfd):
    leakgraph.snapshot(progress=False)
    leakgraph.snapshot()
    assert capfd.readouterr() == ("", "")


def test_progress_line(monkeypatch, tmp_path):
    errors = io.StringIO()
    monkeypatch.setattr(sys, "stderr", errors)
    leakgraph.save_snapshot(tmp_path / "x.lgs", progress=True)
    lines = errors.getvalue().split("\r\033[K")
    assert lines[0] == lines[-1] == ""
    assert len(lines) > 2 and all(x.startswith("leakgraph: ") for x in lines[1:-1])


def test_progress_needs_no_stderr(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    assert len(leakgraph.snapshot(progress=True)) > 1000


def test_threads_share_a_snapshot(snap):
    failures = []
    index = snap.find(test_threads_share_a_snapshot).index

    def work():
        try:
            for _ in range(20):
                node = snap.node(index)
                assert any(edge.node.type_name for edge in node.referrers())
                assert snap.types(limit=3)
                assert snap.show_refs(node).nodes
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_close_while_others_work():
    for _ in range(20):
        snapshot = leakgraph.snapshot(roots=[sys.modules], max_depth=4)
        wrong = []

        def work(snapshot=snapshot, wrong=wrong):
            try:
                while True:
                    snapshot.types()
                    snapshot.node(0).referrers()
            except leakgraph.ClosedError:
                pass
            except BaseException as error:
                wrong.append(error)

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        snapshot.close()
        for thread in threads:
            thread.join()
        assert not wrong
