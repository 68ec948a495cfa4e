"""merged_paths() shows how the roots reach many objects at once."""

import contextvars

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


def test_values_of_a_context_are_below_its_mapping():
    """No row has the inner nodes of the mapping, unless someone asks for them."""
    variables = [contextvars.ContextVar(f"job {number}") for number in range(300)]

    def fill():
        for variable in variables:
            variable.set([Job(payload=bytearray(10_000))])
        return leakgraph.snapshot()

    snapshot = contextvars.Context().run(fill)
    steps = ["thread MainThread", "Context", "hamt", "300 list", "300 test_merged.Job"]
    merged = snapshot.merged_paths("type:test_merged.Job")
    assert [row.name for row in merged] == steps
    inner = snapshot.select("type:hamt_bitmap_node")
    assert (
        sum(row.objects for row in snapshot.merged_paths(inner) if row.depth == 0) > 1
    )
    for answer in (snapshot.dominators(), snapshot.top(20)):
        assert "hamt" in str(answer) and "hamt_" not in str(answer)
    mapping = next(row for row in snapshot.dominators() if row.title == "hamt")
    below = [r for r in snapshot.dominators() if r.dominator == mapping.node]
    assert [(row.count, row.type) for row in below] == [(300, "list")]


def test_the_variable_names_the_reference_of_a_context():
    variables = [contextvars.ContextVar(f"job {number}") for number in range(40)]

    def fill():
        for variable in variables:
            variable.set(None)
        variables[7].set([Job(payload=bytearray(3_000_000))])
        return leakgraph.snapshot()

    snapshot = contextvars.Context().run(fill)
    row = next(row for row in snapshot.dominators() if row.label == "[job 7]")
    assert row.title == "list of 1" and row.retained.host > 3_000_000


def test_what_another_row_counts_has_no_bytes(holder):
    holder.last.inner = Job()
    merged = leakgraph.snapshot().merged_paths("type:test_merged.Job")
    assert [row.label for row in merged if row.retained.total == 0] == [".inner"]
    assert " 0 B" not in str(merged)
    assert str(merged).endswith(
        "counted once; where there are none, another row has them\n"
    )
    alone = leakgraph.snapshot().merged_paths(holder.last)
    assert str(alone).endswith("each byte counted once\n")
