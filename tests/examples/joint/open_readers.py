"""Generators that nobody reads to their end, in a deque and by their name."""

import collections
import sys

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
live = collections.deque()
by_name = {}


def rows(number):
    page = bytearray(10_000)
    for row in range(number, number + 5):
        yield page[row]


for number in range(20):
    reader = rows(number)
    next(reader)
    if fixed:
        reader.close()
    else:
        live.append(reader)
        by_name[f"query {number}"] = reader
del reader

print(leakgraph.findings())
