"""Figures that pyplot keeps, drawn with many ticks; the variables have the last one."""

import sys

from matplotlib import pyplot

import leakgraph

fixed = sys.argv[1:] == ["fixed"]

for _ in range(6):
    figure, axes = pyplot.subplots()
    axes.plot(range(100))
    figure.canvas.draw()
    if fixed:
        pyplot.close(figure)

print(leakgraph.findings())
