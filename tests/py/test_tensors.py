"""Tests tensors() on a training program of torch, in a process of its own."""

import html
import re

import pytest
from builds import needs

import leakgraph

CASES = ["kinds", "holders", "waste", "once", "parts", "sums", "places"]
CASES += ["forms", "mistakes"]


@needs("torch")
@pytest.mark.libraries
def test_training(warm):
    done = warm("torch._dynamo").isolated("tensors.py", *CASES)
    assert done.code == 0 and done.out.split() == CASES, done.err


#: Keeps ten tensors more in each of three snapshots, in a place with others of another
#: shape.
GAINING = """
import os, sys
import leakgraph, torch
os.chdir(sys.argv[1])
held = [torch.zeros(900) for _ in range(3)]
taken = []
for step in range(3):
    held.extend(torch.zeros(64, 64) for _ in range(10))
    taken.append(leakgraph.snapshot())
    taken[-1].summary(f"{step}.lgsum")
taken[2].report("rows.html", earlier=taken[:2], steps=[10, 20, 30])
taken[2].report("places.html", earlier=["0.lgsum", "1.lgsum"], steps=[10, 20, 30])
"""


def rows_of(page, table):
    """The texts of the rows of a table of a page."""
    found = re.search(rf'id="{table}-table".*?</table>', page, re.DOTALL)[0]
    rows = [re.sub("(<[^>]*>)+", "|", row) for row in found.split("<tr")[1:]]
    return [html.unescape(row) for row in rows]


@needs("torch")
@pytest.mark.libraries
def test_a_page_compares_the_storages_of_each_row(warm, tmp_path):
    (tmp_path / "script.py").write_text(GAINING)
    done = warm("torch").run(tmp_path / "script.py", tmp_path)
    assert done.code == 0, done.err
    heads, *rows = rows_of((tmp_path / "rows.html").read_text("utf-8"), "tensors")
    assert "|storages|Δ storages|Δ bytes|per step|" in heads
    big, little = rows
    assert "|480 KiB|30|+20|+320 KiB|+16.0 KiB|float32[64, 64]|" in big
    assert "|10.5 KiB|3|0|0|0|float32[900]|" in little
    # Summaries do not know rows, and the place has both kinds of tensors.
    rows = rows_of((tmp_path / "places.html").read_text("utf-8"), "tensors")
    assert "|480 KiB|30|float32[64, 64]|" in rows[1]


def test_without_tensors(snap):
    tensors = snap.tensors()
    assert len(tensors) == 0 == tensors.storages and tensors.size.total == 0
    assert str(tensors).startswith("There is no tensor.\n")
    on_host = str(snap.tensors(device="host", group="kind"))
    assert on_host.startswith("There is no tensor on host.\n")
    assert tensors._repr_html_().startswith("<p>There is no tensor.</p>")
    groups = leakgraph.tensors(group="dtype", limit=None)
    assert groups.rows == () and "<table>" not in groups._repr_html_()


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"device": "cuda:7"}, "no device 'cuda:7'; it has 'host'"),
        (
            {"group": "type"},
            "group takes place, storage, kind, device, dtype or shape, not",
        ),
    ],
)
def test_misuse(snap, options, error):
    with pytest.raises(leakgraph.ArgumentError, match=error):
        snap.tensors(**options)


def test_types_of_arguments(snap):
    with pytest.raises(TypeError):
        snap.tensors(20, "cuda:0")
    with pytest.raises(TypeError, match="group must be a str"):
        snap.tensors(group=3)
    with pytest.raises(TypeError, match="device must be a str"):
        snap.tensors(device=0)
    with pytest.raises(ValueError, match="limit"):
        snap.tensors(limit=-1)
    snap = leakgraph.snapshot()
    snap.close()
    with pytest.raises(leakgraph.ClosedError):
        snap.tensors()
