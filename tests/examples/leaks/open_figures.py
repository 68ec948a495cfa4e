"""Figures of a class, with subplots and images, made through pyplot."""

import sys

import matplotlib

matplotlib.use("Agg")
import numpy
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


class Report:
    def __init__(self, pages):
        self.pages = [self.page(number) for number in range(pages)]

    def page(self, number):
        make = Figure if fixed else plt.figure
        figure = make(figsize=(2, 2))
        for axes in figure.subplots(1, 2):
            axes.imshow(numpy.eye(number + 2))
        return figure


report = Report(7)
print(leakgraph.findings())
