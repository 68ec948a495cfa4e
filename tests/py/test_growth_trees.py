"""Nodes of a tree, whose containers are in one another, grow in the outermost."""

import sys
import types
from xml.dom import minidom

import pytest

import leakgraph

pytestmark = pytest.mark.ends


@pytest.fixture
def module(monkeypatch):
    module = types.ModuleType("trees_of_a_test")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


@pytest.mark.parametrize(
    ("attributes", "texts"), [(0, 0), (0, 1), (1, 0), (1, 1), (2, 1)]
)
def test_elements_of_a_document(module, attributes, texts):
    """Each attribute has texts, too, and a list of them, as each element has."""
    document = module.document = minidom.Document()
    root = module.root = document.createElement("root")
    document.appendChild(root)
    snapshots = []
    for _ in range(4):
        for number in range(100):
            element = document.createElement("item")
            for name in "ab"[:attributes]:
                element.setAttribute(name, str(number))
            if texts:
                element.appendChild(document.createTextNode("text" * 20))
            root.appendChild(element)
        del element
        snapshots.append(leakgraph.snapshot())
    growth = leakgraph.diff(*snapshots)
    row = growth[0]
    assert row.held_by.endswith("trees_of_a_test.root.childNodes[*]"), growth
    assert row.type.endswith("Element")
    assert "empty trees_of_a_test.root.childNodes" in str(growth)
    # Three quarters came since the first snapshot, but for the room in tables.
    assert 0.68 * row.freed.total <= row.gained <= 0.76 * row.freed.total
