"""Two cached methods of the same instances."""

import sys
from functools import lru_cache

import numpy

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
size = 4 if fixed else None


class Image:
    def __init__(self):
        self.pixels = numpy.zeros((256, 256))

    @lru_cache(maxsize=size)  # noqa: B019
    def mean(self):
        return float(self.pixels.mean())

    @lru_cache(maxsize=size)  # noqa: B019
    def peak(self):
        return float(self.pixels.max())


for _ in range(3):
    image = Image()
    image.mean()
    image.peak()
del image

print(leakgraph.findings())
