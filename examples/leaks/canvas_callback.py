"""A lambda as a figure's callback: the canvas keeps all that the lambda refers to.

python examples/leaks/canvas_callback.py [fixed]
"""

import sys

import matplotlib

matplotlib.use("Agg")
import numpy
from matplotlib import pyplot

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
figure, axes = pyplot.subplots()


def show(image):
    """Shows an image, and the pointer's position on it."""
    axes.imshow(image[::16, ::16])
    return figure.canvas.mpl_connect(
        "motion_notify_event", lambda event: print(event.x, image.shape)
    )


number = show(numpy.random.rand(1024, 1024))
if fixed:
    figure.canvas.mpl_disconnect(number)

print(leakgraph.findings())
