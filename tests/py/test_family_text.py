"""Which segments of shared memory are one row of the report on a tree."""

import pytest

from leakgraph.family import Holder, Segment, Tree
from leakgraph.family_text import text

pytestmark = pytest.mark.ends


def rows(*segments):
    """Return the rows of the table, without the title and the headings."""
    tree = Tree((), (), (), None, (), segments)
    return text(tree).partition("Shared memory:\n")[2].splitlines()[1:]


def segment(name, processes, *places, holder="app.kept[*]"):
    held = (Holder(1, holder, "torch.storage", 4096, place) for place in places)
    return Segment(f"/dev/shm/torch_{name}", 4096, processes, tuple(held))


def test_segments_of_one_kind_are_one_row():
    (row,) = rows(segment(1, (1, 2), "a"), segment(2, (2, 1), "a"))
    assert row.split()[:4] == ["8.00", "KiB", "2", "/dev/shm/torch_*"]


def test_the_processes_that_a_row_leaves_out_count():
    found = rows(segment(1, (1, 2, 3, 4, 5), "a"), segment(2, (1, 2, 3, 4, 6), "a"))
    assert [row.count("1, 2, 3, 4, 1 more") for row in found] == [1, 1]


def test_places_count_and_not_their_names():
    assert len(rows(segment(1, (1,), "a"), segment(2, (1,), "b"))) == 2
    more = [segment(i, (1,), *"abc", last) for i, last in enumerate("de")]
    assert len(rows(*more)) == 2
    (row,) = rows(segment(1, (1,), "a", "b"), segment(2, (1,), "b", "a"))
    assert row.endswith("  app.kept[*] (1)")
