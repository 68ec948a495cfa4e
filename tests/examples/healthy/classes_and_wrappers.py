"""Decorated functions, classes with one name in several modules, ids for a moment."""

import copy
import functools
import logging
import weakref

import leakgraph


def checked(function):
    @functools.wraps(function)
    def wrapper(*arguments):
        return function(*arguments)

    return wrapper


@checked
@checked
@checked
def three_times():
    pass


known = {}


class Base:
    def __init_subclass__(cls):
        known[cls.__name__] = cls


for number in range(40):
    type(f"Child{number}", (Base,), {})


class File:
    def __init__(self, path):
        self.buffer = bytearray(100_000)
        self.closer = weakref.finalize(self, print, path)


file = File("a")
commands = {f"run{number}": checked(print) for number in range(300)}
numbers = {number * 16: bytearray(5000) for number in range(100)}
copies = copy.deepcopy([[bytearray(100)] for _ in range(100)])
for name in "abcdefghij":
    logging.getLogger(name).addHandler(logging.NullHandler())
print(leakgraph.findings())
file.closer.detach()
