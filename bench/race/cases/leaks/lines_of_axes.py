"""A live plot draws each update over the last ones.

https://matplotlib.org/stable/api/_as_gen/matplotlib.axes.Axes.plot.html
"""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import program

HOLDERS = ("__main__.axes._children[*]", "__main__.axes.lines[*]")
NATIVE = True

figure, axes = plt.subplots()


def work(number):
    [line] = axes.plot([0, 1, 2], [number, 1, 2])
    if program.FIXED:
        line.remove()


def let_go():
    for line in list(axes.lines):
        line.remove()


if __name__ == "__main__":
    program.run(work, let_go)
