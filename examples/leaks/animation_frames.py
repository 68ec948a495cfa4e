"""An animation from a generator: it keeps the data of the frames it has drawn.

python examples/leaks/animation_frames.py [fixed]
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib

matplotlib.use("Agg")
import numpy
from matplotlib import pyplot
from matplotlib.animation import FuncAnimation

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
figure, axes = pyplot.subplots()
(line,) = axes.plot([], [])


def measurements():
    """Yields curves."""
    for _ in range(5):
        yield numpy.random.rand(20_000)


def draw(curve):
    """Shows a curve."""
    line.set_data(range(10), curve[:10])
    return (line,)


animation = FuncAnimation(
    figure, draw, measurements, save_count=5, cache_frame_data=not fixed
)
with TemporaryDirectory() as folder:
    animation.save(Path(folder) / "curves.gif", writer="pillow", fps=5)

print(leakgraph.findings())
