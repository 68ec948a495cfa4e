"""A list keeps the first three numbers of each batch, and so the batch.

https://numpy.org/doc/stable/user/basics.copies.html
"""

import numpy
import program

HOLDERS = ("__main__.heads[*]",)
NATIVE = True

heads = []


def work(number):
    batch = numpy.full(10_000, float(number))
    heads.append(batch[:3].copy() if program.FIXED else batch[:3])
    del heads[: -20 if program.FIXED else 0]


if __name__ == "__main__":
    program.run(work, heads.clear)
