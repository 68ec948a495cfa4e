"""A partial of a function, connected by an object that is gone."""

import functools
import sys

import matplotlib

matplotlib.use("Agg")
import torch
from matplotlib.figure import Figure

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


def pick(model, event):
    print(model["weights"][0].sum(), event)


class Viewer:
    def __init__(self, figure):
        self.model = {"weights": [torch.randn(100, 400)]}
        if fixed:
            figure.canvas.mpl_connect("pick_event", self.picked)
        else:
            callback = functools.partial(pick, self.model)
            figure.canvas.mpl_connect("pick_event", callback)

    def picked(self, event):
        pick(self.model, event)


page = {"figure": Figure()}
Viewer(page["figure"])
print(leakgraph.findings())
