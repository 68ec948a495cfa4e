"""Tests the report page of a process, and of what grows in it."""

import json
import re
import sys

import pytest

import leakgraph

NAME = "</script><b>Größe 数"


class Holder:
    """Holds a name that must be escaped."""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Make pages of two snapshots and of one, from one process; return their folder."""
    folder = tmp_path_factory.mktemp("pages")
    holder = Holder()
    setattr(holder, NAME, bytearray(100_000))
    sys.modules[__name__].holder = holder
    first = leakgraph.snapshot()
    first.summary(folder / "first.lgsum")
    holder.more = [bytearray(100) for _ in range(1000)]
    newest = leakgraph.snapshot()
    growth = {"earlier": [first, folder / "first.lgsum"], "steps": [1, 2, 3]}
    with pytest.MonkeyPatch.context() as patch:
        # Other tests draw pictures.
        patch.setenv("LEAKGRAPH_RENDERER", "/nonexistent/renderer")
        assert newest.report(folder / "one-{n}.html") == str(folder / "one-1.html")
        newest.report(folder / "growth.html", title=NAME, **growth)
    yield folder, newest
    del sys.modules[__name__].holder


def data(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])


def test_of_one(pages):
    folder, newest = pages
    page = (folder / "one-1.html").read_text(encoding="utf-8")
    assert f"<b>{len(newest.nodes):,}</b> objects" in page
    assert 'id="growth"' not in page
    assert "snapshots" not in data(page)
    assert "<b>Größe" not in page
    assert len(page) < 1_000_000


def test_of_several(pages):
    folder, _ = pages
    page = (folder / "growth.html").read_text(encoding="utf-8")
    assert "<title>&lt;/script&gt;&lt;b&gt;Größe 数" in page
    assert "<b>Größe" not in page
    known = data(page)
    assert len(known["snapshots"]) == 3
    row = next(row for row in known["places"] if row[1] == ".more")
    assert row[12][0][0] == 0 < row[7][0]
    assert any(row[1] == f".{NAME}" for row in known["places"])


def test_what_it_refuses(pages, tmp_path):
    _, newest = pages
    path = tmp_path / "page.html"
    with pytest.raises(leakgraph.ArgumentError, match="2 steps for 1 snapshots"):
        newest.report(path, steps=[1, 2])
    with pytest.raises(TypeError):
        newest.report(path, earlier=7)
    with pytest.raises(OSError):
        newest.report(path, earlier=[tmp_path / "missing.lgs"])
    with pytest.raises(OSError):
        newest.report(tmp_path / "missing" / "page.html")
    assert list(tmp_path.iterdir()) == []


def test_a_part_of_a_heap(tmp_path):
    part = leakgraph.snapshot(roots=[Holder()])
    with pytest.raises(leakgraph.PartialError):
        part.report(tmp_path / "page.html")
