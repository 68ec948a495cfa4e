"""Dicts of arrays, collated by hand, of an iterator in an attribute."""

import sys
import time

import numpy
from torch.utils.data import DataLoader

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


def load(indices):
    if indices[0] % 3 == 0:
        time.sleep(0.05)
    return {"table": [numpy.full((50, 200), index) for index in indices]}


class Rows:
    def __len__(self):
        return 60

    def __getitem__(self, index):
        return index


class Feed:
    def __init__(self):
        loader = DataLoader(
            Rows(), batch_size=1, num_workers=3, prefetch_factor=4, collate_fn=load
        )
        self.source = {"rows": iter(loader)}

    def peek(self):
        return sum(len(next(self.source["rows"])["table"]) for _ in range(4))


feed = Feed()
feed.peek()
if fixed:
    feed.source.clear()
print(leakgraph.findings())
