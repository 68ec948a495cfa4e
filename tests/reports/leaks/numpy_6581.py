"""Cells of an array of objects refer to its owner: a cycle that no collector sees.

https://github.com/numpy/numpy/issues/6581
"""

import gc

import numpy
import program

HOLDERS = ("garbage Lattice",)


class Lattice:
    def __init__(self, number):
        self.name = str(number)
        self.energies = bytearray(4000)
        self.cells = numpy.empty(8, dtype=object)
        self.cells[:] = [Cell(self) for _ in range(8)]


class Cell:
    def __init__(self, lattice):
        self.lattice = lattice


def work(number):
    lattice = Lattice(number)
    if program.FIXED:
        lattice.cells = None


def let_go():
    for cell in [each for each in gc.get_objects() if type(each) is Cell]:
        cell.lattice = None


if __name__ == "__main__":
    program.run(work, let_go)
