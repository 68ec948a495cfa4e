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
    found = sites._line(thing, tracemalloc.get_object_traceback)
    assert found == [f"{__file__}:{line}"]


def test_no_line_of_an_object_from_before():
    tracemalloc.stop()
    things = [Plain(), Slotted(), []]
    tracemalloc.start(1)
    assert [sites._line(each, tracemalloc.get_object_traceback) for each in things] == [
        [],
        [],
        [],
    ]


@pytest.mark.libraries
def test_the_line_of_a_tensor():
    torch = pytest.importorskip("torch")
    thing = torch.zeros(3)
    line = sys._getframe().f_lineno - 1
    found = sites._line(thing, tracemalloc.get_object_traceback)
    assert found == [f"{__file__}:{line}"]
