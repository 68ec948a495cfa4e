"""Answers agree: tables, pictures and single questions name the same nodes."""

import json

import pytest
from builds import needs
from isolated.heaps import HEAPS

import leakgraph

pytestmark = pytest.mark.ends


@pytest.fixture(
    scope="module",
    params=[
        "stdlib",
        pytest.param("torch", marks=[pytest.mark.libraries, needs("torch")]),
        pytest.param("matplotlib", marks=[pytest.mark.libraries, needs("matplotlib")]),
    ],
)
def graph(request, warm, tmp_path_factory):
    folder = tmp_path_factory.mktemp("heaps")
    path = folder / f"{request.param}.lgs"
    script = folder / "heap.py"
    save = f"\nimport leakgraph\nleakgraph.save_snapshot({str(path)!r})"
    script.write_text(HEAPS[request.param] + save)
    module = "json" if request.param == "stdlib" else request.param
    done = warm(module).run(script)
    assert done.code == 0, done.err
    return leakgraph.load(path)


def test_nodes(graph):
    dominators = graph.dominators()
    tops = list(dominators.tops)
    reachable = [row for row in dominators if row.node.is_reachable]
    assert len(reachable) > 5 and any(row.count > 1 for row in reachable)
    alone = {row.node.index for row in dominators if row.count == 1}
    for row in reachable:
        assert row.node.dominator == row.dominator
        below = tops if row.dominator is None else list(row.dominator.dominated)
        assert row.node in below
        if row.count == 1:
            assert row.retained == row.node.retained
            continue
        several = [
            node
            for node in below
            if (node.type, node.type_name) == (row.node.type, row.type)
            and node.retained <= row.node.retained
            and node.index not in alone
        ]
        assert row.count == len(several)
        assert row.retained == sum(node.retained for node in several)


def test_picture(graph):
    tree = {row.node.index: row for row in graph.dominators()}
    drawn = json.loads(graph.show_dominators(min_share=0.01).json)
    boxes = {box["id"]: box for box in drawn["nodes"]}
    common = 0
    for edge in drawn["edges"]:
        above, box = boxes[edge["source"]], boxes[edge["target"]]
        if box["kind"] != "object":
            continue
        node = graph.node(box["node"])
        dominator = None if "node" not in above else graph.node(above["node"])
        assert node.dominator == dominator
        assert box["retained"] == node.retained
        if node.index in tree:
            common += 1
            assert tree[node.index].dominator == dominator
    assert common > 2


def test_top(graph):
    for row in graph.top(50):
        path = graph.why(row.node).path
        assert row.count > 1 or row.retained == row.node.retained
        assert row.count > 1 or path is None or str(path) == row.held_by
    (biggest,) = graph.top(1, group="type")
    assert biggest.retained == graph.retained(f"type:{biggest.type}")


def test_tensors(graph):
    tensors = graph.tensors(group="storage", limit=None)
    assert len(tensors) == tensors.storages
    assert sum(row.bytes for row in tensors) == tensors.size.total
    for group in ("place", "kind", "device", "dtype", "shape"):
        groups = graph.tensors(group=group, limit=None)
        assert sum(row.storages for row in groups) == len(tensors)
        assert sum(row.bytes for row in groups) == tensors.size.total


def test_each_heap_has_what_it_is_for(graph, request):
    heap = request.node.callspec.params["graph"]
    assert bool(len(graph.tensors())) == (heap == "torch")
    assert bool(len(graph.figures())) == (heap == "matplotlib")


def test_threads(graph):
    threads = graph.threads()
    assert len(threads) > 1
    for row in threads:
        assert row.retained == row.node.retained
        assert (row.held_elsewhere is None) == (row.kind != "local")


def test_merged_paths(graph):
    merged = graph.merged_paths("type:dict", limit=30)
    assert merged.objects == len(graph.select("type:dict"))
    assert merged.retained == graph.retained("type:dict")


def test_the_picture_of_merged_paths(graph):
    rows = graph.merged_paths("type:dict", limit=None).rows
    above = {-1: None}
    places = set()
    for row in rows:
        above[row.depth] = row.node.index
        places.add((above[row.depth - 1] if row.depth else None, row.node.index))
    known = {row.node.index: row for row in rows}
    drawn = json.loads(graph.merged_paths("type:dict").drawing.json)
    boxes = drawn["nodes"]
    objects = [box for box in boxes if box["kind"] == "object"]
    assert len(objects) > 5
    for box in objects:
        row = known[box["node"]]
        assert box["retained"] == row.retained
        assert box["count"] == row.count
    joined = 0
    for edge in drawn["edges"]:
        source, target = boxes[edge["source"]], boxes[edge["target"]]
        if source["kind"] == target["kind"] == "object":
            joined += 1
            assert (source["node"], target["node"]) in places
            assert edge["label"] == known[target["node"]].label
            assert edge["count"] == known[target["node"]].objects
    assert joined > 3


def labelled(hops):
    return [(hop.source.index, hop.target.index, hop.label) for hop in hops]


def test_cycles(graph):
    cycles = graph.cycles(min_bytes=0, limit=300)
    assert len(cycles) > 10
    text = str(cycles)
    for at, row in enumerate(cycles):
        assert len(row.cut_edges) == sum(1 + cut.alike for cut in row.cuts)
        if row.cuts:
            assert row.cut == row.cuts[0]
            assert labelled([row.cut])[0] in labelled(row.hops)
        number = f"\n{at + 1:2}. {row.kind} · "
        assert (number in text) == (row.group == at)
        if row.group == at and row.library is None:
            block = text.split(number)[1].split("\n\n")[0]
            assert row.advice in block


def test_pictures_of_cycles(graph):
    some = [row for row in graph.cycles(min_bytes=0, limit=300) if len(row.hops) < 9]
    with_cut = [row for row in some if row.cuts][:4]
    without = [row for row in some if not row.cuts][:4]
    assert without
    for row in with_cut + without:
        drawn = json.loads(row.drawing.json)
        boxes = [box.get("node") for box in drawn["nodes"]]
        marked = [
            (boxes[edge["source"]], boxes[edge["target"]], edge["label"])
            for edge in drawn["edges"]
            if edge.get("role") == "cut"
        ]
        assert marked == labelled(row.cuts[:1])
        assert {hop.source.index for hop in row.hops} <= set(boxes)


def test_the_order_of_questions_changes_no_path(graph, tmp_path):
    """Findings look for all paths at once, and cycles first for each path alone."""
    graph.save(tmp_path / "again.lgs")
    again = leakgraph.load(tmp_path / "again.lgs")

    def held():
        rows = again.cycles(min_bytes=0, limit=8)
        return [(row.held_by, row.cuts and labelled(row.cuts)) for row in rows]

    before = held()
    again.findings()
    assert held() == before
    paths = again.merged_paths("type:dict", limit=None)
    ends = {row.node.index for row in paths if row.node} & {
        node.index for node in again.select("type:dict")
    }
    for index in sorted(ends)[:30]:
        path = again.why(again.node(index)).path
        alone = again.merged_paths(again.node(index), limit=None)
        hops = [hop.target.index for hop in path]
        assert [row.node.index for row in alone][1:] == hops
