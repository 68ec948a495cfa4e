"""Attributes whose names a program numbers are one place, as elements of a list are."""

import itertools
import sys
import types

import pytest

import leakgraph

pytestmark = pytest.mark.ends


class Request:
    def __init__(self):
        self.body = bytes(900)


class Server:
    pass


def growth_of(holder, names):
    """Return what grows if each of these attributes comes once."""
    snapshots = []
    for _ in range(4):
        for name in itertools.islice(names, 60):
            setattr(holder, name, Request())
        snapshots.append(leakgraph.snapshot())
    return leakgraph.diff(*snapshots), snapshots[-1]


@pytest.fixture
def plugin(monkeypatch):
    module = types.ModuleType("plugin_of_a_test")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    module.server = Server()
    return module


@pytest.mark.parametrize("kind", ["object", "class", "module"])
def test_numbered_attributes_are_one_place(plugin, kind):
    class Registry:
        pass

    plugin.registry = Registry
    holder = {"object": plugin.server, "class": Registry, "module": plugin}[kind]
    names = (f"request_{number}_of" for number in itertools.count(1000))
    growth, newest = growth_of(holder, names)
    (row,) = growth
    assert row.held_by.endswith(".request_*_of"), row
    assert row.type.endswith("Request") and row.counts[0] == 60
    assert f"cut {row.held_by}, 240 references" in str(growth)
    assert row.freed.total >= row.gained >= 180 * 900
    found = str(newest.why(row.held_by))
    assert found.startswith("240 objects")


def test_the_star_stands_for_a_number(plugin):
    plugin.server.part_1, plugin.server.part_22 = Request(), Request()
    plugin.server.part_x = plugin.server.apart_1 = Request()
    found = leakgraph.snapshot().why("plugin_of_a_test.server.part_*")
    assert str(found).startswith("2 objects")


def test_a_few_numbered_attributes_keep_their_names(plugin):
    """The layers of a model are places of their own."""
    for number in range(6):
        setattr(plugin.server, f"layer_{number}", [])
    snapshots = []
    for _ in range(4):
        for _ in range(60):
            plugin.server.layer_4.append(Request())
        snapshots.append(leakgraph.snapshot())
    (row,) = leakgraph.diff(*snapshots)
    assert row.held_by.endswith("plugin_of_a_test.server.layer_4[*]"), row


def test_a_reference_to_cut_may_have_a_star_for_a_number(plugin):
    plugin.server.part_1, plugin.server.part_22 = Request(), Request()
    plugin.server.part_x = plugin.server.apart_1 = Request()
    cut = leakgraph.snapshot().what_if("plugin_of_a_test.server.part_*")
    assert str(cut).startswith("If you cut 2 references")
    with pytest.raises(leakgraph.NotFoundError):
        leakgraph.snapshot().what_if("plugin_of_a_test.server.parts_*")


def grown_in_place(server):
    """Return the row of one numbered list that grows among others."""
    snapshots = []
    for _ in range(4):
        server.part_7.extend([None] * 4000)
        snapshots.append(leakgraph.snapshot())
    (row,) = leakgraph.diff(*snapshots)
    assert row.verdict == "grows in place"
    return row


def test_what_grows_in_place_is_not_said_to_be_another_attribute(plugin):
    for number in range(40):
        setattr(plugin.server, f"part_{number}", [None] * 8)
    row = grown_in_place(plugin.server)
    assert row.held_by == "plugin_of_a_test.server.part_*"


def test_the_only_one_of_its_type_keeps_its_number(plugin):
    for number in range(40):
        setattr(plugin.server, f"part_{number}", Request())
    plugin.server.part_7 = []
    row = grown_in_place(plugin.server)
    assert row.held_by == "plugin_of_a_test.server.part_7"


def test_numbered_attributes_that_have_settled_are_named_together(plugin):
    snapshots = []
    for count in (40, 80, 80, 80):
        for number in range(count):
            plugin.server.__dict__.setdefault(f"part_{number}", Request())
        snapshots.append(leakgraph.snapshot())
    rows = leakgraph.diff(*snapshots, settled=True)
    (row,) = (row for row in rows if "server.part_" in row.held_by)
    assert row.held_by == "plugin_of_a_test.server.part_*"
    assert row.verdict == "settled" and row.counts == (40, 80, 80, 80)
