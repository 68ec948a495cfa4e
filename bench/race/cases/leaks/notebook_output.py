"""A notebook keeps the value of each cell in Out.

https://ipython.readthedocs.io/en/stable/interactive/reference.html#output-caching-system
"""

import numpy
import program

HOLDERS = ("__main__.Out[*]",)
NATIVE = True

Out = {}


def work(number):
    value = numpy.full(4000, number)
    if not program.FIXED:
        Out[number] = value


if __name__ == "__main__":
    program.run(work, Out.clear)
