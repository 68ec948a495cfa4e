"""merged_paths() shows how the roots reach many objects at once."""

import pytest
from shapes import Thing

import leakgraph

pytestmark = [pytest.mark.ends, pytest.mark.small]


class Job(Thing):
    """The tests look for this object."""


class Holder(Thing):
    """An object that holds jobs."""


@pytest.fixture
def holder():
    held = Holder()
    held.queue = [Job(payload=bytearray(10_000)) for _ in range(40)]
    held.by_name = {name: Job() for name in "abc"}
    held.last = Job()
    return held


def test_a_tree(holder):
    snapshot = leakgraph.snapshot()
    merged = snapshot.merged_paths("type:test_merged.Job")
    assert merged.objects == 44 and merged.unreachable == 0
    assert merged.retained.host == snapshot.retained("type:test_merged.Job").host
    rows = {row.name: row for row in merged}
    queue = rows["list of 40"]
    assert queue.node == snapshot.find(holder.queue) and queue.count == 1
    assert queue.label == ".queue" and queue.objects == 40
    assert 400_000 < queue.retained.host < 450_000
    assert queue.retained.total == queue.retained.host
    below = merged[merged.rows.index(queue) + 1]
    assert (below.label, below.depth) == ("[*]", queue.depth + 1)
    assert (below.name, below.count, below.objects) == ("40 test_merged.Job", 40, 40)
    assert rows["dict of 3"].objects == 3
    assert rows["3 test_merged.Job"].label == "[*]"
    roots = [row for row in merged if row.depth == 0]
    assert sum(row.objects for row in roots) == 44
    assert sum(row.retained.total for row in roots) == sum(
        node.retained.total for node in snapshot.select("type:test_merged.Job")
    )


def test_limit(holder):
    snapshot = leakgraph.snapshot()
    few = snapshot.merged_paths("type:list", limit=3)
    every = snapshot.merged_paths("type:list", limit=None)
    assert len([row for row in few if row.node is not None]) >= 3
    assert few[-1].node is None and few[-1].name.endswith(" more")
    assert " more\n" in str(few) and " more\n" not in str(every)
    assert all(row.node is not None for row in every)
    assert few.objects == every.objects == len(snapshot.select("type:list"))
    assert sum(r.objects for r in few if r.depth == 0) + few.unreachable == few.objects
    with pytest.raises(ValueError, match="limit must be 1 or more, not "):
        snapshot.merged_paths("type:list", limit=0)


def test_targets(holder):
    snapshot = leakgraph.snapshot()
    node = snapshot.find(holder.last)
    one = snapshot.merged_paths(holder.last)
    assert one.objects == 1 and one[-1].node == node and one[-1].label == ".last"
    assert str(snapshot.merged_paths(node)) == str(one)
    assert snapshot.merged_paths([node, node]).objects == 1
    assert snapshot.merged_paths(snapshot.select("type:test_merged.Job")).objects == 44
    with pytest.raises(leakgraph.NotFoundError):
        snapshot.merged_paths("type:test_merged.Nobody")
    with pytest.raises(TypeError, match="needs the argument 'target'"):
        snapshot.merged_paths()


def test_garbage():
    from collector import collector_off

    with collector_off():
        lost = Job()
        lost.me = lost
        del lost
        merged = leakgraph.snapshot().merged_paths("type:test_merged.Job")
        assert merged.objects == merged.unreachable == len(merged) + 1 == 1
        assert "garbage" in str(merged) and "no root" in merged._repr_html_()


def test_why_of_many(holder):
    snapshot = leakgraph.snapshot()
    why = snapshot.why("type:test_merged.Job")
    assert len(why.nodes) == 44 and why.node in list(why.nodes)
    assert why.retained == max(node.retained for node in why.nodes)
    assert str(why).startswith(str(why.merged)) and "[*]  40 " in str(why)
    assert why.path is not None and why.dominator == snapshot.find(holder.queue)
    alone = snapshot.why(holder.last)
    assert list(alone.nodes) == [alone.node] and alone.merged.objects == 1
    assert "objects retain" not in str(alone)


def test_text_and_html(holder):
    merged = leakgraph.snapshot().merged_paths("type:test_merged.Job")
    assert repr(merged) == str(merged).rstrip("\n")
    assert "44 objects retain" in str(merged)
    assert [row.name for row in merged[:2]] == [row.name for row in merged.rows[:2]]
    html = merged._repr_html_()
    assert html.count("<tr>") == len(merged) + 1
    assert ".queue  list of 40" in html and "44 objects retain" in html


def test_picture(holder, tmp_path):
    snapshot = leakgraph.snapshot()
    merged = snapshot.merged_paths("type:test_merged.Job")
    assert "40 Job" in str(merged.drawing) and merged.drawing.nodes <= 48
    assert merged.save(tmp_path / "jobs.dot").endswith("jobs.dot")
    assert (tmp_path / "jobs.dot").read_text().startswith("digraph")
    snapshot.close()
    assert "image/svg" not in merged._repr_html_()
    with pytest.raises(leakgraph.ClosedError):
        merged.drawing


def test_closed():
    snapshot = leakgraph.snapshot()
    snapshot.close()
    with pytest.raises(leakgraph.ClosedError):
        snapshot.merged_paths("type:dict")


class Link:
    """One of several objects, each inside the last."""


def test_a_box_whose_bytes_count_elsewhere_has_none(holder):
    holder.links = at = Link()
    for _ in range(5):
        at.data, at.inner = bytearray(10_000), Link()
        at = at.inner
    drawing = leakgraph.snapshot().merged_paths("type:test_merged.Link").drawing
    del holder.links
    assert "KiB" in drawing.dot and ";0 B" not in drawing.dot
