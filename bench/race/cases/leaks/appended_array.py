"""Each step makes a longer copy of the history of losses.

https://numpy.org/doc/stable/reference/generated/numpy.append.html
"""

import numpy
import program

HOLDERS = ("__main__.run.history",)
NATIVE = True


class Run:
    history = numpy.zeros(0)


run = Run()


def work(number):
    new = numpy.full(1500, float(number))
    run.history = new if program.FIXED else numpy.append(run.history, new)


def let_go():
    run.history = numpy.zeros(0)


if __name__ == "__main__":
    program.run(work, let_go)
