"""Lines that allocated objects, from tracemalloc."""

import sys
import tracemalloc

import pytest

from leakgraph import sites


class Plain:
    pass


class Slotted:
    __slots__ = ("value",)


@pytest.fixture(autouse=True)
def traced():
    tracemalloc.start(1)
    yield
    tracemalloc.stop()


@pytest.mark.parametrize("kind", [Plain, Slotted, list, bytearray])
def test_the_line_of_an_object_that_holds_nothing(kind):
    thing = kind()
    line = sys._getframe().f_lineno - 1
    found = sites._line(thing)
    assert found == [sites.Site(f"{__file__}:{line}", f"{__file__}:{line}")]


def test_no_line_of_an_object_from_before():
    tracemalloc.stop()
    things = [Plain(), Slotted(), []]
    tracemalloc.start(1)
    assert [sites._line(each) for each in things] == [[]] * 3


def test_no_library_is_imported_for_a_line(python):
    """What it makes would look like something that the program left behind."""
    done = python(
        "-c",
        "import sys, tracemalloc\nfrom leakgraph import sites\n"
        "class Plain: pass\ntracemalloc.start()\nbefore = set(sys.modules)\n"
        "assert len(sites._line(Plain())) == 1\nprint(set(sys.modules) - before)",
    )
    assert done.out == "set()\n", done.err


@pytest.mark.libraries
def test_the_line_of_a_tensor():
    torch = pytest.importorskip("torch")
    thing = torch.zeros(3)
    line = sys._getframe().f_lineno - 1
    found = sites._line(thing)
    assert found == [sites.Site(f"{__file__}:{line}", f"{__file__}:{line}")]


LIBRARY = "/usr/lib/python3/dist-packages/library.py"


@pytest.mark.parametrize(
    ("file", "through"),
    [
        (LIBRARY, f", through {LIBRARY}:2"),
        ("<string>", ", through <string>:2"),
        ("<stdin>", None),
        ("/srv/program.py", None),
    ],
)
def test_the_line_of_the_program_that_calls_a_library(file, through):
    space = {}
    exec(compile("def make():\n    return bytearray(99)", file, "exec"), space)
    tracemalloc.stop()
    tracemalloc.start(sites.FRAMES)
    thing = space["make"]()
    line = sys._getframe().f_lineno - 1
    (site,) = sites._line(thing)
    assert str(site) == (
        f"{__file__}:{line}{through}" if through is not None else f"{file}:2"
    )


def test_the_line_of_a_library_if_no_frame_of_the_program_is_known():
    site = sites.Site(None, f"{LIBRARY}:2")
    assert str(site) == f"{LIBRARY}:2"
