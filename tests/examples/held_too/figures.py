"""Figures that pyplot keeps, and a list of the program."""

import sys

import matplotlib as mpl

mpl.use("Agg")
from matplotlib import pyplot as plt

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
kept = []
for _ in range(8):
    figure, axes = plt.subplots()
    axes.plot(range(10))
    figure.canvas.draw()
    kept.append(figure)
    if fixed:
        plt.close(figure)
del figure, axes

print(leakgraph.findings())
