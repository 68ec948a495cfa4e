"""Tests pytest's plugin: the marker, the fixture, the options, and its example."""

import argparse
import importlib.util
import logging
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

import leakgraph
from leakgraph.baseline import Baseline
from leakgraph.leftovers import leftovers

pytestmark = pytest.mark.ends

EXAMPLE = Path(__file__).parents[2] / "examples/pytest"


class Item:
    def __init__(self):
        self.values = bytes(1000)


kept = []


@pytest.fixture(autouse=True)
def fresh():
    kept.clear()
    yield
    kept.clear()


def leak():
    kept.append(Item())


def cycle():
    item = Item()
    item.itself = item


def expecting():
    item = Item()
    kept[:] = [item]
    leakgraph.expect_collectable(item, "an item")


def found(work, baseline=None, **options):
    return leftovers(work, baseline or Baseline(), "test", rounds=2, **options)


@pytest.mark.small
def test_growth_is_told_with_its_line():
    text = found(leak, max_cycles=None)
    assert f"{__name__}.kept[*]: Item accumulates, 6 → 7 → 8 objects" in text
    assert f"allocated at {__file__}:" in text
    assert "place " in text
    assert "more than max_growth" not in text
    text = found(leak, max_cycles=None, max_growth="1 KiB")
    assert " more than max_growth, 1.00 KiB" in text
    assert leftovers.__doc__ and found(leak, max_cycles=None, max_growth="1 MiB") == ""


@pytest.mark.small
def test_a_known_mistake_has_its_fix():
    logger = logging.getLogger(__name__)

    def listen():
        for _ in range(10):
            logger.addHandler(logging.NullHandler())

    text = found(listen, max_cycles=None)
    logger.handlers.clear()
    assert "NullHandler accumulates (log-handlers), " in text
    assert "\n    Call addHandler() once, " in text


@pytest.mark.small
def test_cycles_are_told():
    text = found(cycle)
    assert "A call leaves 1 reference cycle to" in text and "Item" in text
    assert found(cycle, max_cycles=1) == ""


@pytest.mark.small
def test_cycles_of_libraries_are_no_leaks():
    """A parser of argparse is a cycle of its own; the test's cycle is told alone."""

    def parse():
        argparse.ArgumentParser().parse_args([])

    def both():
        parse()
        cycle()

    assert found(parse) == ""
    text = found(both)
    assert "A call leaves 1 reference cycle to" in text and "argparse" not in text
    assert text.count("collectable") == 1


@pytest.mark.libraries
def test_a_closed_figure_is_no_leak(python):
    code = """
import gc
gc.disable()
import matplotlib.pyplot as plt
import leakgraph

def plot(close):
    figure, axes = plt.subplots()
    axes.plot([1, 2])
    figure.canvas.draw()
    plt.close(figure)
    if not close:
        axes.mine = Mine(axes)

class Mine:
    def __init__(self, axes):
        self.axes = axes

plot(True)
found = leakgraph.cycles(kind="collectable", limit=None)
print(found.leaks, [c.is_leak for c in found if "Figure" in c.cycle])
plot(False)
print(leakgraph.cycles(kind="collectable").leaks)
"""
    done = python("-c", code, timeout=300)
    assert done.out.splitlines() == ["0 [False]", "1"], done.out + done.err


@pytest.mark.small
def test_what_should_be_gone_is_told():
    text = found(expecting, max_cycles=None)
    assert "an item" in text and "is alive" in text and "kept" in text
    kept.clear()


def test_a_size_without_meaning():
    with pytest.raises(leakgraph.ArgumentError, match="max_growth must be"):
        found(leak, max_growth="much")
    assert kept == []


def row(place):
    return SimpleNamespace(place=16 * place, held_by="a.b[*]", type="Item")


def test_a_baseline_is_written_and_read(tmp_path):
    path = tmp_path / "known.txt"
    baseline = Baseline(str(path), may_be_missing=True)
    assert not baseline.knows(row("b"), "test")
    baseline.target = str(path)
    assert baseline.knows(row("b"), "test") and baseline.knows(row("a"), "test")
    baseline.write()
    lines = path.read_text().splitlines()
    assert lines[0] == "leakgraph baseline 1"
    assert lines[1].startswith(f"growth {16 * 'b'} a.b[*] · Item (test): known")
    assert lines[2].startswith(f"growth {16 * 'a'} ") and len(lines) == 3
    path.write_text(f"{lines[0]}\n# a cache\ngrowth {16 * 'a'}\n")
    again = Baseline(str(path))
    assert again.knows(row("a"), "test") and not again.knows(row("c"), "test")
    again.target = str(tmp_path / "other.txt")
    assert again.knows(row("c"), "test")
    again.write()
    written = (tmp_path / "other.txt").read_text().splitlines()
    assert written[1] == "# a cache" and len(written) == 4


def test_a_baseline_names_native_memory_once():
    baseline = Baseline()
    baseline.target = "none"
    what = "stacks of threads"
    native = SimpleNamespace(place="ab", held_by=what, type=what)
    assert baseline.knows(native, "test")
    ((_, note),) = baseline.found
    assert note.startswith(f"{what} (test): known")


def test_a_wrong_baseline(tmp_path):
    path = tmp_path / "known.txt"
    path.write_text("{}")
    with pytest.raises(leakgraph.FileError, match="is no baseline"):
        Baseline(str(path))
    with pytest.raises(leakgraph.FileError, match="cannot open"):
        Baseline(str(tmp_path / "none.txt"))


#: Plugins that are installed for other tests; they make the heap large.
UNUSED = {
    *("cacheprovider", "anyio", "asyncio", "platformdirs"),
    *("xdist", "xdist.looponfail"),
}


def run(folder, *options, plugin=""):
    """Run pytest with leakgraph's plugin, without this folder's configuration, and with
    one of the others at most."""
    (folder / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-p", "leakgraph.pytest_plugin"]
    for name in UNUSED - {plugin}:
        command += ["-p", f"no:{name}"]
    command += map(str, options)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return SimpleNamespace(code=done.returncode, out=done.stdout + done.stderr)


def test_the_example(tmp_path):
    """The leak fails the test; the fix passes, and so does the leak with a baseline."""
    shutil.copytree(EXAMPLE, tmp_path / "shop")
    folder = tmp_path / "shop"
    done = run(folder, "--junitxml=result.xml", "--leakgraph")
    assert "1 failed, 1 passed" in done.out, done.out
    assert "shop.PRICES.listeners[*]: method shop.Order.update accumulates" in done.out
    assert "shop.py:" in done.out
    (failure,) = ElementTree.parse(folder / "result.xml").iter("failure")
    assert "shop.PRICES.listeners[*]" in failure.text
    _, _, report = done.out.partition("objects that tests leave behind")
    assert "test_shop.py::test_selling" in report
    assert "test_shop_fixed.py::test_selling" not in report.partition("short test")[0]
    done = run(folder, "--leakgraph-write-baseline=known.txt", "test_shop.py")
    assert "1 passed" in done.out, done.out
    done = run(folder, "--leakgraph-baseline=known.txt", "test_shop.py")
    assert "1 passed" in done.out, done.out


def plain(text):
    """Remove line breaks, and what depends on the interpreter: sizes, and the line,
    because a method from a free list has no trace of its own."""
    text = re.sub(r"[0-9.]+ KiB", "KiB", text)
    return " ".join(re.sub(r"shop\.py:[0-9]+", "shop.py", text).split())


def test_what_the_example_says(tmp_path):
    """The README quotes its files, and pytest's report about them."""
    folder = tmp_path / "shop"
    shutil.copytree(EXAMPLE, folder)
    said = run(folder, "test_shop.py").out.replace(f"{folder}/", "")
    said += run(folder, "test_shop_fixed.py").out
    said += "".join(path.read_text() for path in sorted(EXAMPLE.glob("*.py")))
    blocks = (EXAMPLE / "README.md").read_text().split("```")[1::2]
    assert len(blocks) == 5
    for block in blocks:
        assert plain(block.removeprefix("text")) in plain(said)


TESTS = """
import pytest

kept = []

class Thing:
    pass

@pytest.mark.parametrize("leaks", [False, True])
def test_part(leakgraph_check, leaks):
    def work():
        if leaks:
            kept.append(Thing())
    leakgraph_check(work, rounds=2, warmup=1, max_cycles=None)

@pytest.mark.leakgraph(rounds=2, warmup=1, max_cycles=None)
def test_wrong():
    assert not kept

@pytest.mark.leakgraph(4)
def test_marker():
    pass

@pytest.mark.leakgraph(max_cycle=1)
def test_misspelt():
    pass

def test_unmarked():
    kept.append(Thing())
"""


def test_the_fixture_and_the_marker(tmp_path):
    (tmp_path / "test_x.py").write_text(TESTS)
    done = run(tmp_path)
    assert "4 failed, 2 passed" in done.out, done.out
    assert "test_x.kept[*]: Thing accumulates" in done.out
    assert "assert not kept" in done.out
    assert "takes keywords only" in done.out
    assert "leakgraph has no keyword 'max_cycle'; it has rounds, warmup," in done.out
    assert "objects that tests leave behind" not in done.out
    done = run(tmp_path, "--leakgraph-baseline=none.txt")
    assert done.code == pytest.ExitCode.USAGE_ERROR and "none.txt" in done.out


needs = {
    name: pytest.mark.skipif(
        importlib.util.find_spec(name) is None, reason=f"{name} is not installed"
    )
    for name in ("xdist", "pytest_asyncio")
}


@needs["xdist"]
def test_workers_of_xdist(tmp_path):
    shutil.copytree(EXAMPLE, tmp_path / "shop")
    done = run(
        tmp_path / "shop", "-n2", "--leakgraph-write-baseline=known.txt", plugin="xdist"
    )
    assert "2 passed" in done.out, done.out
    (_, line) = (tmp_path / "shop/known.txt").read_text().splitlines()
    assert "shop.PRICES.listeners[*] · method (" in line


ASYNC = """
import asyncio, pytest
kept = []

@pytest.mark.asyncio
@pytest.mark.leakgraph(rounds=2, max_cycles=None)
async def test_honest():
    await asyncio.sleep(0)

@pytest.mark.asyncio
@pytest.mark.leakgraph(rounds=2, max_cycles=None)
async def test_leak():
    await asyncio.sleep(0)
    kept.append(set())
"""


@needs["pytest_asyncio"]
def test_async_tests(tmp_path):
    (tmp_path / "test_x.py").write_text(ASYNC)
    done = run(tmp_path, plugin="asyncio")
    assert "1 failed, 1 passed" in done.out, done.out
    assert "test_x.kept[*]: set accumulates" in done.out
