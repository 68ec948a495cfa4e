"""Checks cycles of torch and matplotlib against the collector: python ... NAME.

test_cycles.py runs this script, because no other test may share a process with these
libraries.
"""

import gc
import sys
import weakref
from pathlib import Path

import leakgraph

sys.path.insert(0, str(Path(__file__).parents[1]))

import shapes
from collector import called_collectable, freed_by_collector


def addresses(**options):
    """Return the addresses of the members of all cycles that pass."""
    found = leakgraph.snapshot().cycles(limit=None, **options)
    return {n.address for c in found for n in c.nodes}


def figure():
    """Something holds a figure until a program closes it and drops its last name."""
    from matplotlib import pyplot

    figure = pyplot.figure()
    figure.add_subplot().plot([1, 2, 3])
    figure.canvas.draw()
    address = id(figure)
    pyplot.close(figure)
    assert address in addresses(holding="figure", kind="held")
    del figure
    assert address in addresses(holding="figure", kind="collectable")
    called = called_collectable(leakgraph.snapshot())
    assert address in called and called == freed_by_collector()


def hook():
    """A hook captures its module: a name holds both, then they are collectable."""
    import torch

    model = torch.nn.Linear(600, 600)
    shapes.keep_in_hook(model)
    reference, address = weakref.ref(model), id(model)
    assert address in addresses(holding="tensor", kind="held")
    del model
    found = leakgraph.snapshot().cycles(
        holding="tensor", kind="collectable", limit=None
    )
    (cycle,) = (c for c in found if address in {n.address for n in c.nodes})
    assert "closure model" in str(cycle), str(cycle)
    assert address in freed_by_collector() and reference() is not None


def process():
    """The process is full of libraries, with every shape as garbage."""
    __import__("torch")
    __import__("matplotlib.pyplot")
    __import__("pandas")
    for shape in shapes.COLLECTABLE:
        shape()
    snapshot = leakgraph.snapshot()
    assert len(snapshot) > 200_000, len(snapshot)
    called = called_collectable(snapshot)
    assert len(called) >= len(shapes.COLLECTABLE)
    assert called == freed_by_collector()


if __name__ == "__main__":
    gc.disable()
    {"figure": figure, "hook": hook, "process": process}[sys.argv[1]]()
    print("right")
