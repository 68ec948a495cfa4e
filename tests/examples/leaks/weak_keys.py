"""Keys of a WeakValueDictionary that have their own values, two steps away."""

import sys
import weakref

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


class Document:
    def __init__(self, number):
        self.text = "x" * 6000 + str(number)


class Position:
    def __init__(self, document):
        self.parts = None if fixed else [(document, 0)]


class Index:
    def __init__(self):
        self.by_position = weakref.WeakValueDictionary()

    def add(self, document):
        self.by_position[Position(document)] = document


index = Index()
for number in range(30):
    index.add(Document(number))
print(leakgraph.findings())
