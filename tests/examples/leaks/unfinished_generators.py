"""Coroutines that nobody runs, with the arguments of each."""

import collections
import sys

import numpy

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


async def store(block):
    return block.sum()


class Writer:
    def __init__(self):
        self.later = collections.deque()

    def write(self, block):
        self.later.append(store(block))
        if fixed:
            self.later.popleft().close()


writer = Writer()
for _ in range(20):
    writer.write(numpy.zeros(1000))
print(leakgraph.findings())
for coroutine in writer.later:
    coroutine.close()
