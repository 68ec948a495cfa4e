"""A dict of closures, each over a session that is over."""

import sys

import numpy

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


class Session:
    def __init__(self):
        self.state = {"samples": numpy.zeros(1000)}


handlers = {}


def listen(number):
    session = Session()

    def handle(event):
        session.state[event] = number

    handlers[f"session-{number}"] = handle
    if fixed:
        del handlers[f"session-{number}"]


for number in range(24):
    listen(number)
print(leakgraph.findings())
