"""Text, JSON, picture and Python give one answer: the same nodes and bytes."""

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


def test_rows_json_and_text(graph):
    tree = graph.dominators()
    parsed = json.loads(tree.json)["rows"]
    text = str(tree).splitlines()
    assert len(tree) == len(parsed) > 5
    lines = iter(text)
    for row, plain in zip(tree, parsed):
        assert (row.node.index, row.depth) == (plain["node"], plain["depth"])
        assert plain["dominator"] == (row.dominator and row.dominator.index)
        assert row.retained == plain["retained"]
        assert row.label == plain["label"]
        line = next(x for x in lines if f" #{row.node.index}" in x)
        assert str(row.retained) in line
        assert row.title in line and (row.label or "") in line


def test_nodes(graph):
    reachable = [row for row in graph.dominators() if row.node.is_reachable]
    assert len(reachable) > 5
    for row in reachable:
        assert row.node.dominator == row.dominator
        assert row.retained == row.node.retained
        below = (
            graph.dominators().tops
            if row.dominator is None
            else row.dominator.dominated
        )
        assert row.node in list(below)


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


@pytest.mark.parametrize("group", ["object", "type", "module"])
def test_top(graph, group):
    top = graph.top(50, group=group)
    parsed = json.loads(top.json)["rows"]
    assert len(top) == len(parsed) > 3
    lines = iter(str(top).splitlines())
    for row, plain in zip(top, parsed):
        assert (row.retained, row.size) == (plain["retained"], plain["size"])
        assert row.count == plain.get("count", 1)
        name = row.type if group == "type" else row.module
        mark = name if row.node is None else f" #{row.node.index} "
        line = next(x for x in lines if mark in x and str(row.retained) in x)
        if group == "object":
            assert row.node.index == plain["node"]
            assert row.count > 1 or row.retained == row.node.retained
            assert row.held_by == plain["held_by"] and row.held_by in line
            path = graph.why(row.node).path
            assert row.count > 1 or path is None or str(path) == row.held_by
        else:
            assert getattr(row, group) == plain[group]
    if group == "type":
        assert top[0].retained == graph.retained(f"type:{top[0].type}")


def test_tensors(graph):
    tensors = graph.tensors(limit=None)
    parsed = json.loads(tensors.json)
    rows = parsed["rows"]
    assert len(tensors) == len(rows) == tensors.storages
    assert tensors.size == parsed["size"]
    assert sum(row.bytes for row in tensors) == tensors.size.total
    lines = iter(str(tensors).splitlines())
    for row, plain in zip(tensors, rows):
        assert (row.node.index, row.bytes) == (plain["node"], plain["bytes"])
        assert (row.kind, row.held_by) == (plain["kind"], plain["held_by"])
        assert any(row.kind in line and row.held_by in line for line in lines)
    for group in ("kind", "device", "dtype", "shape"):
        groups = graph.tensors(group=group, limit=None)
        assert sum(row.storages for row in groups) == len(tensors)
        assert sum(row.bytes for row in groups) == tensors.size.total


def test_figures(graph):
    figures = graph.figures()
    parsed = json.loads(figures.json)["rows"]
    assert len(figures) == len(parsed) == figures.figures
    text = str(figures)
    for row, plain in zip(figures, parsed):
        assert (row.node.index, row.number) == (plain["node"], plain["number"])
        assert row.canvas == plain["canvas"] and row.retained == plain["retained"]
        assert row.closed == plain["closed"]
        assert str(row.retained) in text
        assert row.held_by == plain["held_by"] and row.held_by in text
        holders = tuple((one["kind"], one["held_by"]) for one in plain["holders"])
        assert row.holders == holders


def test_each_heap_has_what_it_is_for(graph, request):
    heap = request.node.callspec.params["graph"]
    assert bool(len(graph.tensors())) == (heap == "torch")
    assert bool(len(graph.figures())) == (heap == "matplotlib")


def test_threads(graph):
    threads = graph.threads()
    plain = json.loads(threads.json)["rows"]
    assert len(threads) == len(plain) > 1
    lines = iter(str(threads).splitlines())
    for row, one in zip(threads, plain):
        assert row.to_dict() == one and row.retained == row.node.retained
        assert (row.held_elsewhere is None) == (row.kind != "local")
        if row.kind != "suspended" and row.depth < 2:
            assert any(row.name in line and str(row.retained) in line for line in lines)


def test_merged_paths(graph):
    merged = graph.merged_paths("type:dict", limit=30)
    parsed = json.loads(merged.json)
    assert (merged.objects, merged.unreachable) == (
        parsed["objects"],
        parsed["unreachable"],
    )
    assert merged.retained == parsed["retained"]
    assert merged.retained == graph.retained("type:dict")
    assert len(merged) == len(parsed["rows"]) > 10
    lines = str(merged).splitlines()[3:]
    for row, plain, line in zip(merged, parsed["rows"], lines):
        assert (row.depth, row.objects) == (plain["depth"], plain["objects"])
        node = plain["node"]
        assert row.node == (None if node is None else graph.node(node))
        for name in ("label", "name", "count", "kind", "parent", "root", "type"):
            assert getattr(row, name) == plain[name]
        assert row.retained == plain["retained"]
        assert str(row.retained) in line and f" {row.objects:,}  " in line
        assert (row.label or "") in line and row.name in line


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


def plain_hops(hops):
    return [(hop["source"], hop["target"], hop["label"]) for hop in hops]


def test_cycles(graph):
    cycles = graph.cycles(min_bytes=0, limit=300)
    parsed = json.loads(cycles.json)
    assert (cycles.total, cycles.leaks) == (parsed["total"], parsed["leaks"])
    assert len(cycles) == len(parsed["rows"]) > 10
    text = str(cycles)
    for at, (row, plain) in enumerate(zip(cycles, parsed["rows"])):
        assert (row.kind, row.group) == (plain["kind"], plain["group"])
        assert (row.library, row.left, row.more) == (
            plain["library"],
            plain["left"],
            plain["more"],
        )
        assert row.retained == plain["retained"]
        assert labelled(row.hops) == plain_hops(plain["hops"])
        assert labelled(row.cuts) == plain_hops(plain["cuts"])
        assert [cut.alike for cut in row.cuts] == [c["alike"] for c in plain["cuts"]]
        assert len(row.cut_edges) == sum(1 + cut.alike for cut in row.cuts)
        assert (row.held_by, row.reason) == (plain["held_by"], plain["reason"])
        if row.cuts:
            assert row.cut == row.cuts[0] and labelled([row.cut])[0] in labelled(
                row.hops
            )
        number = f"\n{at + 1:2}. {row.kind} · "
        assert (number in text) == (row.group == at)
        if row.group == at and row.library is None:
            block = text.split(number)[1].split("\n\n")[0]
            assert f"retains {row.retained}" in block
            assert row.advice in block and (row.held_by or "") in block


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
