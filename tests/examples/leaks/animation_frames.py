"""An animation in an attribute whose frames are lists of numbers."""

import sys

import matplotlib

matplotlib.use("Agg")
from matplotlib import animation
from matplotlib.figure import Figure

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


class Movie:
    def __init__(self):
        self.figure = Figure(figsize=(1, 1))
        self.axes = self.figure.add_subplot()
        self.player = animation.FuncAnimation(
            self.figure,
            self.show,
            frames=self.frames,
            save_count=8,
            cache_frame_data=not fixed,
        )

    def frames(self):
        for start in range(8):
            yield {"at": start, "values": [start + 0.001 * i for i in range(3000)]}

    def show(self, frame):
        self.axes.set_title(str(len(frame["values"])))


movie = Movie()
movie.player.save("movie.gif", writer="pillow", fps=4)
print(leakgraph.findings())
