"""A ring of eight arrays takes each batch in turn."""

import numpy
import program

NATIVE = True

ring = [None] * 8


def work(number):
    ring[number % 8] = numpy.full(20_000, float(number))


if __name__ == "__main__":
    program.run(work, ring.clear)
