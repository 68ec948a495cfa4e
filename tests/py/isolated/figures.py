"""Tests matplotlib's figures: python ... CASE.

test_matplotlib_figures.py runs this script, because no other test may share a process
with matplotlib.
"""

import gc
import sys
import tempfile
import tracemalloc
import weakref
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import numpy
from matplotlib import animation, pyplot
from matplotlib.figure import Figure

import leakgraph

sys.path.insert(0, str(Path(__file__).parents[1]))

from malloced import in_use
from shapes import Thing

WIDTH, HEIGHT = 640, 480
CANVAS = 4 * WIDTH * HEIGHT


def plot(draw=True, **options):
    """Open a figure as programs do, and forget it."""
    figure, (left, right) = pyplot.subplots(1, 2, **options)
    left.plot(range(1000))
    right.imshow([[1, 2], [3, 4]])
    if draw:
        figure.canvas.draw()


def row_at(address):
    (row,) = (r for r in leakgraph.figures(None) if r.node.address == address)
    return row


def fifty():
    """Fifty open figures are fifty rows, each with exactly its pixels."""
    matplotlib.rcParams["figure.max_open_warning"] = 0
    for number in range(50):
        plot(draw=number % 5 == 0)
    rows = leakgraph.figures(limit=None)
    assert len(rows) == 50 == len(pyplot.get_fignums())
    assert {row.number for row in rows} == set(range(1, 51))
    for row in rows:
        drawn = row.number % 5 == 1
        assert row.canvas == (CANVAS if drawn else 0)
        assert (row.width, row.height) == (WIDTH, HEIGHT)
        assert row.axes == 2 and row.artists > 20
        assert not row.closed and row.reachable
        assert row.holders == (("pyplot", None),)
        assert row.held_by == "pyplot's registry"
        assert row.retained > 200_000 + row.canvas
    text = str(leakgraph.figures())
    assert "50 figures: 50 open in pyplot; together " in text
    assert "... and 30 more figures" in text and "plt.close(fig)" in text
    # The rows that fold have a heading of their own; the finding has a table.
    assert rows._repr_html_().count("<tr>") == 50 + 2 + 2


def traced():
    """The Python bytes equal those that tracemalloc reports, except what the library's
    caches keep.
    """
    for _ in range(3):
        plot()
    pyplot.close("all")
    gc.collect()
    leakgraph.figures()
    tracemalloc.start()
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    matplotlib.rcParams["figure.max_open_warning"] = 0
    for number in range(24):
        plot(draw=number % 2 == 0)
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    snapshot = leakgraph.snapshot()
    rows = snapshot.figures(None)
    cells = sum(node.size for node in snapshot.select("type:matplotlib.memory"))
    charged = sum(row.retained.total - row.canvas for row in rows) - cells
    assert sum(row.canvas for row in rows) == 12 * CANVAS and cells > 0
    assert abs(charged - grown) <= 0.02 * grown, (charged, grown)


def sizes():
    """Pixels follow the figure's size and resolution."""
    for inches, dots in [((3, 2), 50), ((6.4, 4.8), 200), ((1, 1), 72)]:
        figure = Figure(figsize=inches, dpi=dots)
        width, height = (int(side * dots) for side in inches)
        pyplot.switch_backend("Agg")
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        assert row_at(id(figure)).canvas == 0
        assert (row_at(id(figure)).width, row_at(id(figure)).height) == (width, height)
        FigureCanvasAgg(figure).draw()
        row = row_at(id(figure))
        assert row.canvas == 4 * width * height
        assert (row.width, row.height) == (width, height)
        assert row.number is None and row.closed


def pixels():
    """A view of the pixels counts nothing twice; a copied region counts."""
    figure = pyplot.figure()
    figure.canvas.draw()
    view = figure.canvas.buffer_rgba()
    array = numpy.asarray(view)
    snapshot = leakgraph.snapshot()
    (memory,) = snapshot.select("type:matplotlib.canvas")
    assert memory.size == CANVAS and memory.text == f"{WIDTH}x{HEIGHT}"
    assert memory.address == array.ctypes.data
    assert snapshot.figures()[0].canvas == CANVAS
    del view, array
    region = figure.canvas.copy_from_bbox(figure.bbox)
    snapshot = leakgraph.snapshot()
    node = snapshot.find(region)
    assert "not inspected" not in node.facts
    assert node.retained >= CANVAS


def cells():
    """The rasterizer keeps the cells of the largest path for the next drawing."""
    figure = pyplot.figure()
    figure.subplots().plot(numpy.random.default_rng(0).random(50_000))
    figure.canvas.draw()
    promised = leakgraph.snapshot().figures()[0].retained.host
    before = in_use()
    pyplot.close(figure)
    del figure
    gc.collect()
    freed = before - in_use()
    assert promised > 20_000_000
    assert abs(promised - freed) < 0.05 * freed


def saved():
    """The figure also owns what savefig leaves behind in the texts."""
    figure = Figure()
    figure.subplots().set_title("a title")
    with tempfile.TemporaryDirectory() as folder:
        figure.savefig(f"{folder}/it.png", dpi=100)
    gc.collect()
    row = row_at(id(figure))
    canvases = [
        node for node in leakgraph.types(None) if node.type == "matplotlib.canvas"
    ]
    left = sum(row.size.host for row in canvases)
    assert row.canvas == left and row.retained > left


class App:
    """Holds a figure, whose callback holds this object."""

    def __init__(self):
        self.data = bytearray(5_000_000)
        self.figure = pyplot.figure()
        self.figure.canvas.mpl_connect("draw_event", lambda event: self.on(event))

    def on(self, event):
        self.event = event


APP = ANIMATION = ARTISTS = HOOKS = None


def holders():
    """Different things hold a figure: pyplot, a global, a local, an artist in a list,
    an animation, a closure."""
    global APP, ANIMATION, ARTISTS, HOOKS
    APP = App()
    row = row_at(id(APP.figure))
    assert row.holders == (("pyplot", None), ("variable", "__main__.APP.figure"))
    assert row.retained < 1_000_000
    pyplot.close(APP.figure)
    row = row_at(id(APP.figure))
    assert row.closed and row.holders == (("variable", "__main__.APP.figure"),)

    local = pyplot.figure()
    pyplot.close(local)
    ((kind, where),) = row_at(id(local)).holders
    assert kind == "variable" and where.endswith(" local local"), where
    assert "holders() figures.py:" in where
    address = id(local)

    HOOKS = [lambda figure=local: figure]
    del local
    ((kind, where),) = row_at(address).holders
    assert kind == "callback" and where.startswith("__main__.HOOKS[0]"), where

    figure, axes = pyplot.subplots()
    ARTISTS = axes.plot([1, 2, 3])
    pyplot.close(figure)
    address = id(figure)
    del figure, axes
    assert row_at(address).holders == (("variable", "__main__.ARTISTS[0]"),)

    figure, axes = pyplot.subplots()
    ANIMATION = animation.FuncAnimation(figure, lambda frame: (), frames=3)
    ANIMATION._init_draw()
    pyplot.close(figure)
    address = id(figure)
    del figure, axes
    (first, *_) = row_at(address).holders
    assert first == ("animation", "__main__.ANIMATION._fig")


def closed():
    """A closed figure without a name is a collectable cycle. Its row says garbage until
    the collector frees it.
    """
    gc.disable()
    plot()
    figure = pyplot.gcf()
    reference, address = weakref.ref(figure), id(figure)
    pyplot.close(figure)
    del figure
    row = row_at(address)
    assert row.closed and not row.reachable and row.holders == ()
    assert row.number == 1 and row.canvas == CANVAS
    options = {"holding": "figure", "kind": "collectable", "limit": None}
    cycles = leakgraph.snapshot().cycles(**options)
    assert address in {node.address for cycle in cycles for node in cycle.nodes}
    assert "garbage" in str(leakgraph.figures())
    gc.collect()
    assert reference() is None and len(leakgraph.figures()) == 0
    assert str(leakgraph.figures()) == "There is no figure of matplotlib.\n"


def parts():
    """The artists of a part of a figure belong to the figure."""
    figure = pyplot.figure()
    one, other = figure.subfigures(1, 2)
    one.subplots(2)
    other.subplots()
    row = row_at(id(figure))
    assert row.axes == 3 and row.artists > 100
    assert len(leakgraph.figures()) == 1


def unchanged():
    """A capture only reads: it makes no renderer, no tick and no dict."""
    figure = pyplot.figure()
    axes = figure.subplots()
    leakgraph.snapshot().close()
    gc.collect()
    names = len(vars(figure)), len(vars(axes.xaxis))
    before = len(gc.get_objects())
    for _ in range(3):
        leakgraph.snapshot().close()
    assert len(gc.get_objects()) == before
    assert not hasattr(figure.canvas, "renderer")
    assert names == (len(vars(figure)), len(vars(axes.xaxis)))


def connect(figure):
    """Connect what a drawing function may leave behind on its canvas."""
    data = numpy.zeros(1_000_000)
    figure.canvas.mpl_connect("button_press_event", lambda event: data.sum())


def mistakes():
    """The report lists known mistakes that involve figures below them."""
    figure = pyplot.figure()
    figures = leakgraph.figures()
    assert figures.findings == () and "Known" not in figures._repr_html_()
    assert "lives until plt.close(figure)" in str(figures)
    connect(figure)
    (finding,) = leakgraph.figures().findings
    assert finding.pattern == "canvas-callback" and finding.retained >= 8_000_000
    for _ in range(20):
        plot(draw=False)
    figures = leakgraph.figures(None)
    found = {f.pattern: f for f in figures.findings}
    assert set(found) == {"canvas-callback", "open-figures"}
    assert found["open-figures"].count == 21
    text, html = str(figures), figures._repr_html_()
    for finding in figures.findings:
        for line in (*finding.cause.splitlines(), *finding.fix.splitlines()):
            assert text.count(line) == 1 and line in html
    assert "lives until" not in text and "held by  matplotlib._pylab_helpers" in text
    with tempfile.TemporaryDirectory() as folder:
        leakgraph.save_snapshot(f"{folder}/it.lgs")
        read = leakgraph.load(f"{folder}/it.lgs").figures(None)
        assert {f.pattern for f in read.findings} == set(found)


def elsewhere():
    """A file contains figures, too; a partial heap refuses the question."""
    plot()
    with tempfile.TemporaryDirectory() as folder:
        leakgraph.save_snapshot(f"{folder}/it.lgs")
        read = leakgraph.load(f"{folder}/it.lgs")
        (row,) = read.figures()
        assert row.canvas == CANVAS and row.node.facts["closed"] == "no"
        assert read.info()["adapter.matplotlib"].startswith("inspected: ")
    try:
        leakgraph.snapshot(roots=[Thing()]).figures()
    except leakgraph.PartialError:
        pass
    else:
        raise AssertionError("a partial snapshot answered")


if __name__ == "__main__":
    gc.freeze()  # collections leave out what was imported
    globals()[sys.argv[1]]()
    print("right")
