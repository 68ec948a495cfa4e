"""show_refs, show_backrefs, show_path and what they return."""

import json
import os
import subprocess
import sys
from base64 import b64decode
from html.parser import HTMLParser

import pytest

import leakgraph

pytestmark = [pytest.mark.ends, pytest.mark.small]

PNG = b"\x89PNG\r\n\x1a\n"


class Holder:
    """An object with an attribute of its own."""


@pytest.fixture
def holder():
    made = Holder()
    made.losses = [object(), object()]
    return made


def test_texts(holder):
    drawing = leakgraph.show_refs(holder)
    assert str(drawing) == drawing.text
    assert repr(drawing) == f"<leakgraph.Drawing: {drawing.nodes} nodes>"
    assert "Holder" in drawing.text and "losses" in drawing.text
    assert drawing.dot.startswith("digraph") and "losses" in drawing.dot
    shown = json.loads(drawing.json)
    assert len(shown["nodes"]) == drawing.nodes


FREED = "bytes are what would be freed with it"
OWN = "sizes are each object&#39;s own bytes"


@pytest.mark.parametrize("draw", ["show_refs", "show_backrefs", "show_path"])
def test_retained_bytes_or_own_sizes(holder, draw):
    def says(drawing, caption):
        (line,) = (
            line
            for line in drawing.text.splitlines()
            if "Holder · " in line and "seen above" not in line
        )
        return ("3.00 MiB" in line, caption in drawing.dot)

    holder.losses.append(bytearray(3 << 20))
    show = getattr(leakgraph, draw)
    assert says(show(holder, retained=True), FREED) == (True, True)
    assert says(show(holder, retained=False), OWN) == (False, True)
    with leakgraph.snapshot() as snapshot:
        show = getattr(snapshot, draw)
        assert says(show(holder), FREED) == (True, True)
        assert says(show(holder, retained=False), OWN) == (False, True)
    with leakgraph.snapshot(roots=[holder]) as part:
        assert OWN in part.show_refs(holder).dot
        with pytest.raises(leakgraph.PartialError):
            part.show_refs(holder, retained=True)


def test_a_big_heap_is_not_analysed_unasked():
    program = """
import gc, leakgraph
gc.disable()
held = [bytearray(3 << 20)]
print(leakgraph.show_refs(held).text.splitlines()[0])
many = [[] for _ in range(299_000 - len(gc.get_objects()) - gc.get_freeze_count())]
print(leakgraph.show_refs(held).text.splitlines()[0])
many += [[] for _ in range(2_000)]
print(leakgraph.show_refs(held).text.splitlines()[0])
print(leakgraph.show_refs(held, retained=True).text.splitlines()[0])
"""
    reported = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert ["3.00 MiB" in line for line in reported] == [True, True, False, True]


def test_any_object_will_do():
    for thing in ("text", 17, None, 2.5, len, sys, int, [1], (1, 2), {}, print, b"x"):
        assert leakgraph.show_refs(thing).nodes >= 1
    assert "list of 3" in str(leakgraph.show_refs([[1], [2], [3]]))


def test_path_to_a_namespace():
    assert ".__dict__" in str(leakgraph.show_path(globals()))


def test_path_to_any_node(snap):
    for node in range(0, len(snap), 997):
        assert snap.show_path(f"node:{node}").nodes >= 1


def test_a_str_is_a_selector_on_a_snapshot_only(snap):
    assert "str" in str(leakgraph.show_refs("a list"))
    with pytest.raises(leakgraph.ArgumentError, match="takes an object"):
        leakgraph.show_refs("type:list")
    assert "module sys" in str(snap.show_refs("module:sys"))


def test_notebook_images(holder):
    drawing = leakgraph.show_refs(holder)
    svg = drawing._repr_svg_()
    assert svg.startswith('<svg class="leakgraph" style="max-width:100%;')
    assert drawing._repr_png_().startswith(PNG)


class Sanitized(HTMLParser):
    """What an untrusted notebook keeps: neither scripts, styles nor SVG, but text."""

    def __init__(self, html):
        super().__init__()
        self.images, self.words, self._skipped = [], "", 0
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self._skipped += tag in ("script", "style")
        self.images += [dict(attrs)] if tag == "img" else []

    def handle_endtag(self, tag):
        self._skipped -= tag in ("script", "style")

    def handle_data(self, data):
        self.words += "" if self._skipped else data


def test_an_untrusted_notebook_shows_the_picture(holder):
    drawing = leakgraph.show_refs(holder)
    kept = Sanitized(drawing._repr_html_())
    (image,) = kept.images
    kind, _, data = image["src"].partition(",")
    assert kind == "data:image/svg+xml;base64" and kept.words == ""
    assert b64decode(data).decode() == drawing._repr_svg_()
    assert image["alt"] == str(drawing)


def test_format_chooses_the_notebook_image(holder):
    picture = leakgraph.show_refs(holder, format="png")
    assert picture._repr_svg_() is None and picture._repr_png_().startswith(PNG)
    picture = leakgraph.show_refs(holder, format="svg")
    assert picture._repr_png_() is None and "<svg" in picture._repr_svg_()


def test_written_at_once(holder, tmp_path):
    leakgraph.show_refs(holder, tmp_path / "a.svg")
    assert "<svg" in (tmp_path / "a.svg").read_text(encoding="utf-8")
    leakgraph.show_backrefs(holder, str(tmp_path / "b.PNG"))
    assert (tmp_path / "b.PNG").read_bytes().startswith(PNG)
    leakgraph.show_refs(holder, tmp_path / "c.dot")
    assert (tmp_path / "c.dot").read_text(encoding="utf-8").startswith("digraph")
    leakgraph.show_refs(holder, tmp_path / "d.txt", format="svg")
    assert "<svg" in (tmp_path / "d.txt").read_text(encoding="utf-8")
    leakgraph.show_refs(holder, os.fsencode(tmp_path / "{n}-{pid}.pdf"))
    assert (tmp_path / f"1-{os.getpid()}.pdf").read_bytes().startswith(b"%PDF")
    assert len(list(tmp_path.iterdir())) == 5


def test_save(holder, tmp_path):
    drawing = leakgraph.show_refs(holder)
    assert drawing.save(tmp_path / "a.svg") == str(tmp_path / "a.svg")
    dark = "@media (prefers-color-scheme:dark)"
    assert dark in (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert dark not in drawing._repr_svg_()  # a page has one style for all pictures
    drawing.save(tmp_path / "b", format="png")
    assert (tmp_path / "b").read_bytes().startswith(PNG)


def test_unknown_suffix(holder, tmp_path):
    for name in ("a.nonsense", "nothing"):
        with pytest.raises(leakgraph.ArgumentError, match="svg"):
            leakgraph.show_refs(holder, tmp_path / name)
        with pytest.raises(leakgraph.ArgumentError, match="svg"):
            leakgraph.show_refs(holder).save(tmp_path / name)
    with pytest.raises(leakgraph.FileError):
        leakgraph.show_refs(holder, tmp_path / "no" / "folder" / "x.svg")
    assert list(tmp_path.iterdir()) == []


def test_unknown_format(holder):
    with pytest.raises(leakgraph.ArgumentError, match="svg"):
        leakgraph.show_refs(holder, format="nonsense")
    assert leakgraph.show_refs(holder, format="pdf").nodes > 1


def formats(holder):
    """List every format name that Graphviz reports here."""
    with pytest.raises(leakgraph.ArgumentError) as error:
        leakgraph.show_refs(holder, format="nonsense")
    return str(error.value).rpartition("choose one of ")[2].strip(".").split(", ")


@pytest.mark.once
def test_no_format_leaves_an_empty_file(holder, tmp_path):
    # Graphviz knows some names without their libraries.
    names = formats(holder)
    assert {"svg", "png", "dot"} <= set(names)
    drawing = leakgraph.show_refs(holder)
    for name in names:
        path = tmp_path / f"picture.{name}"
        try:
            drawing.save(path, format=name)
        except leakgraph.PictureError as error:
            assert name in str(error)
            assert not path.exists()
        else:
            assert path.stat().st_size > 0, name


def test_nothing_prints(holder, tmp_path, capfd):
    leakgraph.show_refs(holder, tmp_path / "a.png")
    leakgraph.show_backrefs(holder)
    assert capfd.readouterr() == ("", "")


def test_title_and_legend(holder):
    plain = leakgraph.show_refs(holder, legend=False).dot
    titled = leakgraph.show_refs(holder, title="Who <holds> it?").dot
    assert "holds" in titled and "holds" not in plain
    assert len(titled) > len(plain)


def test_depth(holder):
    holder.chain = [[[[["bottom"]]]]]
    shallow = leakgraph.show_refs(holder, max_depth=1)
    deep = leakgraph.show_refs(holder, max_depth=7)
    assert shallow.nodes < deep.nodes


def test_max_nodes():
    wide = [[i, object()] for i in range(500)] + [{i: []} for i in range(500)]
    assert leakgraph.show_refs(wide, max_nodes=20).nodes <= 20
    assert leakgraph.show_refs(wide).nodes <= 120
    for wrong in (0, -1, 1.5, "many", 1 << 40):
        with pytest.raises((ValueError, TypeError)):
            leakgraph.show_refs(wide, max_nodes=wrong)


def test_also(holder):
    other = {"key": [1]}
    drawing = leakgraph.show_refs(holder, also=[other])
    assert "losses" in drawing.text and "['key']" in drawing.text
    for wrong in ("ab", 17):
        with pytest.raises(TypeError, match="also"):
            leakgraph.show_refs(holder, also=wrong)


def test_types_and_weak(holder):
    import weakref

    holder.reference = weakref.ref(holder.losses.__class__)
    plain = leakgraph.show_refs(holder)
    assert leakgraph.show_refs(holder, types=True).nodes > plain.nodes
    assert leakgraph.show_refs(holder, weak=True).nodes > plain.nodes


def test_backrefs_of_a_live_object(holder):
    text = str(leakgraph.show_backrefs(holder.losses[0]))
    assert "losses" in text and "Holder" in text
    assert "local holder" in text
    assert "native" not in text.splitlines()[0] and "leakgraph." not in text


def test_backrefs_do_not_show_the_call(holder):
    inner = holder.losses.pop()
    text = str(leakgraph.show_backrefs(inner, max_depth=1))
    assert "local inner" in text and "native" not in text
    assert len(text.splitlines()) == 2


def test_backrefs_do_not_show_the_list_of_the_call(holder):
    inner, other = [], {}
    text = str(leakgraph.show_backrefs(inner, also=[other], max_depth=1))
    assert "local inner" in text and "local other" in text
    assert "native" not in text and "list of 1" not in text
    both = [inner]
    assert "list of 1" in str(leakgraph.show_backrefs(other, also=both, max_depth=1))


def test_path_of_a_live_object(held):
    text = str(leakgraph.show_path(held.losses[2]))
    assert ".losses" in text and "[2]" in text and "trainer" in text


def test_on_a_snapshot(snap, held):
    node = snap.find(held.losses)
    for target in (held.losses, node, f"#{node.index}"):
        assert "list of 3" in str(snap.show_refs(target))
        assert ".losses" in str(snap.show_backrefs(target))
        assert "trainer" in str(snap.show_path(target))
    both = snap.show_refs(held.losses, also=[held.options, "module:sys"])
    assert "['lr']" in both.text and "module sys" in both.text


def test_targets_that_are_not_there(snap):
    with pytest.raises(leakgraph.NotFoundError, match="not in the snapshot"):
        snap.show_refs(type("Fresh", (), {})())
    with pytest.raises(leakgraph.NotFoundError):
        snap.show_refs("type:no.such.Thing")
    with pytest.raises(leakgraph.ArgumentError, match="another snapshot"):
        snap.show_refs(leakgraph.snapshot(roots=[[1]]).node(0))


def test_path_needs_a_whole_snapshot(holder):
    partial = leakgraph.snapshot(roots=[holder])
    with pytest.raises(leakgraph.PartialError):
        partial.show_path(holder)


def test_path_of_garbage():
    class Loop:
        pass

    loop = Loop()
    loop.self = loop
    selector = hex(id(loop))
    import gc

    gc.disable()
    try:
        del loop
        snapshot = leakgraph.snapshot()
        assert "no root reaches it" in str(snapshot.show_path(selector))
        assert "Loop" in str(snapshot.show_backrefs(selector))
    finally:
        gc.enable()


def test_drawing_outlives_its_snapshot(holder):
    with leakgraph.snapshot(roots=[holder]) as partial:
        drawing = partial.show_refs(holder)
    del holder.losses
    assert "losses" in drawing.text and "<svg" in drawing._repr_svg_()


def test_arguments(holder):
    with pytest.raises(TypeError, match="needs the argument 'obj'"):
        leakgraph.show_refs()
    with pytest.raises(TypeError, match="unexpected keyword argument 'depth'"):
        leakgraph.show_refs(holder, depth=3)
    with pytest.raises(TypeError, match="multiple values for argument 'obj'"):
        leakgraph.show_refs(holder, obj=holder)
    with pytest.raises(TypeError, match="at most 2 positional"):
        leakgraph.show_refs(holder, None, [1])
    with pytest.raises(TypeError, match="title"):
        leakgraph.show_refs(holder, title=17)
    assert leakgraph.show_refs(obj=holder, path=None).nodes > 1


def test_deep_trees_run_down_the_page():
    deep = bytearray(1 << 20)
    for _ in range(30):
        deep = [deep, bytearray(1 << 16)]
    wide = [[bytearray(1 << 16)] for _ in range(30)]
    assert "rankdir=LR" in leakgraph.show_refs(wide).dot
    assert "rankdir=LR" in leakgraph.show_refs(deep).dot
    assert "rankdir=LR" in leakgraph.show_refs(deep, max_depth=6).dot
    assert "rankdir=TB" in leakgraph.show_refs(deep, max_depth=7).dot
    assert "rankdir=TB" in leakgraph.show_refs(deep, max_depth=12).dot


NESTED = {}


def inmost(depth):
    for _ in range(depth):
        NESTED["in"] = {"in": NESTED.pop("in", None) or Holder()}
    found = NESTED
    while isinstance(found, dict):
        found = found["in"]
    return found


@pytest.mark.parametrize(("depth", "gap"), [(2, False), (40, True)])
def test_backrefs_show_the_path_from_a_root(depth, gap):
    text = leakgraph.show_backrefs(inmost(depth), max_depth=1).text
    NESTED.clear()
    assert text.splitlines()[-1].endswith("root: an imported module (sys.modules)")
    assert ".NESTED  " in text and ("more objects" in text) == gap
    assert len(text.splitlines()) <= 12 and "not shown" not in text


def test_garbage_has_no_path_from_a_root():
    from collector import collector_off

    with collector_off():
        lost = {"in": [[[[Holder()]]]]}
        lost["me"] = lost
        address = id(lost["in"][0][0][0][0])
        del lost
        snapshot = leakgraph.snapshot()
    text = snapshot.show_backrefs(hex(address)).text
    assert "root: " not in text and "list" in text


def test_wide_characters():
    """Columns count them as two; a box without a font for them is higher."""
    wide = type("訓練器", (), {})()
    narrow = Holder()
    wide.履歴 = [object()]
    lines = str(leakgraph.snapshot().why(wide.履歴[0])).splitlines()
    (label,) = (at for at, line in enumerate(lines) if line.endswith("↓ .履歴"))
    assert lines[label + 1].split() == ["│", "~" * (1 + 2 * 2)]
    assert 'POINT-SIZE="16"' in leakgraph.show_refs(wide).dot
    assert 'POINT-SIZE="16"' not in leakgraph.show_refs(narrow).dot
