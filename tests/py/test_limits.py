"""Budgets, shortage of memory, and bounded walks."""

import pytest

import leakgraph


def ring(length):
    """Make a chain of lists, each of which holds the next."""
    first = last = []
    for _ in range(length):
        following = []
        last.append(following)
        last = following
    return first


def test_any_budget_gives_a_snapshot_or_one_sentence():
    refused = taken = 0
    early = [int(2**15 * 1.02**step) for step in range(250)]
    for budget in [*early, *(2**power for power in range(10, 31))]:
        try:
            with leakgraph.snapshot(max_bytes=budget) as snapshot:
                assert len(snapshot) > 1000
                taken += 1
        except leakgraph.LimitError as error:
            assert "max_bytes" in str(error)
            refused += 1
    assert refused >= 5
    assert taken >= 3
    assert len(leakgraph.snapshot()) > 1000


def test_a_save_over_budget_leaves_no_file(tmp_path):
    with pytest.raises(leakgraph.LimitError):
        leakgraph.save_snapshot(tmp_path / "run.lgs", max_bytes=100_000)
    assert list(tmp_path.iterdir()) == []


def test_little_address_space_is_no_crash(python):
    code = """
import resource, sys
import leakgraph
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
taken = refused = 0
for extra in range(1, 60, 2):
    resource.setrlimit(resource.RLIMIT_AS, (used + (extra << 20), -1))
    try:
        leakgraph.snapshot().close()
        taken += 1
    except MemoryError as error:
        refused += 1
resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
leakgraph.snapshot().close()
print(taken, refused)
"""
    done = python("-c", code)
    assert done.code == 0, done.err
    taken, refused = map(int, done.out.split())
    assert taken + refused == 30
    assert refused > 0


@pytest.mark.parametrize("depth", [1, 2, 5, 50])
def test_a_walk_goes_as_deep_as_it_is_told(depth):
    chain = ring(100)
    snapshot = leakgraph.snapshot(roots=[chain], max_depth=depth)
    assert snapshot.is_partial
    node, steps = snapshot.find(chain), 0
    while True:
        following = [edge.node for edge in node.referents() if edge.kind == "index"]
        if not following:
            break
        node, steps = following[0], steps + 1
    assert steps == depth


def test_a_walk_from_an_object_stays_out_of_the_program():
    class Holder:
        pass

    holder = Holder()
    holder.data = [1, 2, 3]
    snapshot = leakgraph.snapshot(roots=[holder])
    assert snapshot.find(holder.data) is not None
    assert len(snapshot) < 100


def test_a_long_list_at_the_frontier_says_its_length():
    inner = list(range(1234))
    snapshot = leakgraph.snapshot(roots=[[[inner]]], max_depth=1)
    labels = {node.label for node in snapshot.nodes}
    assert "list of 1" in labels
    snapshot = leakgraph.snapshot(roots=[[inner]], max_depth=1)
    assert snapshot.find(inner).label == "list of 1,234"
