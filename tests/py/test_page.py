"""Tests the report page of a process, and of what grows in it."""

import functools
import json
import os
import re
import subprocess
import sys

import pytest

import leakgraph

pytestmark = [pytest.mark.ends, pytest.mark.small]

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


def test_a_page_names_no_option_that_its_reader_cannot_use(tmp_path):
    holder = sys.modules[__name__].filled = Holder()
    taken = []
    for size in (1000, 3000, 3000, 3000):
        holder.full = [bytearray(100) for _ in range(size)]
        taken.append(leakgraph.snapshot())
    *earlier, newest = taken
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEAKGRAPH_RENDERER", "/nonexistent/renderer")
        newest.report(tmp_path / "page.html", earlier=earlier)
    del sys.modules[__name__].filled
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    settled = re.search(r"<p>\d+ places? ha\w+ settled or [^<]*", page)
    assert settled[0].endswith("to a limit")
    assert re.search(r"\d held of less than 1.00 MiB left out<", page)
    assert "--settled" in str(leakgraph.diff(*taken))
    assert "--min-bytes" in str(newest.cycles(limit=1))


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


class Entry:
    """Is in a table, and behind a bound method in a list."""

    def close(self):
        """Stand for what a program calls at the end."""


def enter(both, number):
    entry = both.table[number] = Entry()
    entry.values = bytearray(500)
    both.calls.append(entry.close)


def test_one_leak_is_one_card(tmp_path):
    both = Holder()
    both.table, both.calls = {}, []
    sys.modules[__name__].both = both
    taken = []
    for number in range(600):
        enter(both, number)
        if number % 200 == 199:
            taken.append(leakgraph.snapshot())
    del sys.modules[__name__].both
    *earlier, newest = taken
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEAKGRAPH_RENDERER", "/nonexistent/renderer")
        newest.report(tmp_path / "page.html", earlier=earlier, steps=[1, 2, 3])
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    cards = re.search(r'<ol class="advice">(.*?)</ol>', page, re.DOTALL)[1]
    ours = [card for card in cards.split("<li class=") if "both." in card]
    assert len(ours) == 1
    assert re.search(r"</span> now · \+[\d.]+ KiB per step · 600 Entry", ours[0])
    assert "both.table" in ours[0] and "both.calls" in ours[0]
    assert ours[0].count("alone frees") == 2 and "both together free" in ours[0]
    assert "what one of them keeps stays" in ours[0]
    chart = re.search(r'<svg class="memory".*?</svg>', page, re.DOTALL)[0]
    assert ">step 1</text>" in chart and ">step 3</text>" in chart
    areas = re.findall(r'<polygon class="(\w+)"', chart)
    assert areas[0] == "quiet" and areas[1] == "c0" and len(areas) >= 2
    assert 'href="#growth"' in chart and "both." in chart
    assert chart.count('<g class="at">') == 3


@functools.cache
def early(_):
    """Keep each argument."""


@functools.cache
def late(_):
    """Keep each argument, too."""


def carry(shared, size):
    """Make an entry that has bytes of its own and some that it shares."""
    entry = Entry()
    entry.shared, entry.own = shared, bytearray(size)
    return entry


def test_a_mistake_with_two_leaks_is_one_card(tmp_path):
    taken = []
    for number in range(150):
        shared = bytearray(20_000)
        early(carry(shared, 3000))
        late(carry(shared, 2000))
        if number % 50 == 49:
            taken.append(leakgraph.snapshot())
    early.cache_clear()
    late.cache_clear()
    *earlier, newest = taken
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEAKGRAPH_RENDERER", "/nonexistent/renderer")
        newest.report(tmp_path / "page.html", earlier=earlier, settled=True)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    cards = re.search(r'<ol class="advice">(.*?)</ol>', page, re.DOTALL)[1]
    (card,) = [each for each in cards.split("<li class=") if "lru-cache" in each]
    assert card.count("alone frees") == 2 and "both together free" in card
    assert ".early" in card and ".late" in card
    # 50 of each, with what they share, from snapshot to snapshot: 1.22 MiB, and
    # what their tables and instances take.
    assert 1.18 < float(re.search(r"\+([\d.]+) MiB per snapshot", card)[1]) < 1.35
    assert 2.36 < float(re.search(r"It gained ([\d.]+) MiB", card)[1]) < 2.7
    # Each box of members is named where it is, and where the tree leads to it.
    assert card.count("150 tuple · ") > 2
    assert "settled=True or" not in page


def test_a_card_names_who_else_must_let_go_than_the_one_with_the_mistake(tmp_path):
    both, taken = Holder(), []
    both.parts = []
    sys.modules[__name__].both = both
    for number in range(150):
        both.parts.append(bytearray(20_000))
        early(carry(both.parts[-1], 3000))
        if number % 50 == 49:
            taken.append(leakgraph.snapshot())
    early.cache_clear()
    del sys.modules[__name__].both
    *earlier, newest = taken
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEAKGRAPH_RENDERER", "/nonexistent/renderer")
        newest.report(tmp_path / "page.html", earlier=earlier)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    cards = re.search(r'<ol class="advice">(.*?)</ol>', page, re.DOTALL)[1]
    (card,) = [each for each in cards.split("<li class=") if "lru-cache" in each]
    (advice,) = re.findall(r'<dt>do</dt><dd class="fix">(.*?)</dd>', card)
    assert advice.startswith("Call cache_clear(), ")
    other = f"Remove items from {__name__}.both.parts, too: it keeps a part."
    assert advice.endswith(" " + other) and advice.count("Remove") == 1


#: Takes three snapshots, between which each table gains rows that it has already.
GAINING = """
import functools, gc, leakgraph
gc.disable()

class Ring:
    pass

@functools.lru_cache(maxsize=None)
def cached(_):
    return bytearray(70_000)

kept = []
taken = []
for step in range(3):
    for number in range(20):
        ring = Ring()
        ring.itself, ring.data = ring, bytearray(3000)
        cached(Ring())
        kept.append(b"equal" * 99 + bytes(1))
    taken.append(leakgraph.snapshot(contents=True, allocations=True))
taken[2].report("page.html", earlier=taken[:2], steps=[10, 20, 30])
"""


def changes_in(page, section, words):
    """Return two changes in the row of a table that has the words: how many, KiB."""
    table = re.search(rf'<section id="{section}".*?</section>', page, re.DOTALL)[0]
    rows = [re.sub(r"(<[^>]*>)+", "|", row) for row in table.split("<tr")[1:]]
    (row,) = [row for row in rows if words in row]
    more, size, _ = re.findall(r"\|\+([\d.,]+)( [KM]iB)?(?=\|)", row)
    unit = {" KiB": 1, " MiB": 1024}[size[1]]
    return int(more[0].replace(",", "")), float(size[0]) * unit


# Headers of objects differ by some tens of bytes between versions.
def test_each_table_says_what_changed(tmp_path):
    subprocess.run(
        [sys.executable, "-X", "tracemalloc=1", "-c", GAINING],
        cwd=tmp_path,
        check=True,
        env={**os.environ, "LEAKGRAPH_RENDERER": "/nonexistent/renderer"},
    )
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    cached = pytest.approx(40 * 70_100 / 1024, rel=0.02)
    line = 1 + GAINING.splitlines().index("    return bytearray(70_000)")
    rings = pytest.approx(40 * 3_150 / 1024, rel=0.1)
    assert changes_in(page, "cycles", "Ring.itself") == (40, rings)
    assert changes_in(page, "findings", "lru-cache") == (40, cached)
    equal = pytest.approx(40 * 537 / 1024, rel=0.05)
    assert changes_in(page, "waste", "bytes: duplicates") == (40, equal)
    traced = changes_in(page, "allocations", f"&lt;string&gt;:{line}|")
    assert traced == (traced[0], cached) and traced[0] in (40, 80)
    heads = re.findall(r"<th[^>]*>(.*?)</th>", page[page.index('id="cycles"') :])
    numbers = ["retained", "objects", "Δ cycles", "Δ bytes", "per step"]
    assert [head for head in heads[:7] if head in numbers] == numbers
    for heading in ("Δ things", "Δ cycles", "Δ objects", "Δ bytes", "per step"):
        assert f">{heading}<" in page


MANY_RINGS = """
import gc, leakgraph
gc.disable()
class Ring: pass
taken = []
for step in range(3):
    for number in range(4000):
        ring = Ring()
        ring.itself = ring
    taken.append(leakgraph.snapshot())
taken[2].report("page.html", earlier=taken[:2])
"""


def test_a_row_of_very_many_cycles_says_what_changed(tmp_path):
    subprocess.run([sys.executable, "-c", MANY_RINGS], cwd=tmp_path, check=True)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    more, size = changes_in(page, "cycles", "Ring.itself")
    assert more == 8000
    assert size > 8000 * 64 / 1024


class View:
    """Shows a part of what others show, too."""

    def __init__(self, base):
        self.base = base


def test_what_goes_with_a_card_is_in_no_list_below_it(tmp_path):
    """Two holders keep it, so neither dominates it."""
    module = sys.modules[__name__]
    module.left, module.right, snapshots = [], {}, []
    for number in range(30):
        base = bytearray(50_000 + number)
        module.left.append(View(base))
        module.right[number] = View(base)
        del base
        if number % 10 == 9:
            snapshots.append(leakgraph.snapshot())
    *earlier, newest = snapshots
    newest.report(tmp_path / "page.html", earlier=earlier)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    cards = page[page.index('id="advice"') : page.index('id="growth"')]
    del module.left, module.right
    assert f"{__name__}.left</" in cards and f"{__name__}.right</" in cards
    biggest = cards.partition('<ul class="biggest">')[2]
    assert "bytearray" not in biggest and ".base" not in biggest


def test_memory_of_c_code_has_its_colour_in_the_map(tmp_path):
    """The code of a regular expression is in the object itself, as pixels are."""
    module = sys.modules[__name__]
    module.parts = re.compile("|".join(map(str, range(20_000))), re.IGNORECASE)
    leakgraph.report(tmp_path / "page.html")
    del module.parts
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    kinds = {
        kind
        for _, _, type_name, kind, *_, own, _, _ in (
            place[:10] for place in data(page)["places"] if len(place) > 9
        )
        if type_name == "re.Pattern" and own[0] > 100_000
    }
    assert kinds == {"native"}
