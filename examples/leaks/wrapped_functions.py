"""A function that is wrapped again at each call: a chain that only grows.

python examples/leaks/wrapped_functions.py [fixed]
"""

import functools
import sys

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


def timed(function):
    """Wraps a function to measure its time."""
    times = []

    @functools.wraps(function)
    def wrapper(*arguments):
        times.append(1)
        return function(*arguments)

    return wrapper


class Model:
    """Predicts."""

    def predict(self, number):
        """Doubles a number."""
        return 2 * number


original = Model.predict
for _ in range(20):
    Model.predict = timed(original if fixed else Model.predict)

print(leakgraph.findings())
