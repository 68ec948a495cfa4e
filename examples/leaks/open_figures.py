"""Figures that a loop saves and never closes: pyplot keeps them all.

python examples/leaks/open_figures.py [fixed]
"""

import sys
from io import BytesIO

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
for step in range(6):
    figure, axes = pyplot.subplots()
    axes.plot(range(step + 2))
    figure.savefig(BytesIO(), format="png")
    if fixed:
        pyplot.close(figure)

print(leakgraph.findings())
