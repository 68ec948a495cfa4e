"""Errors of two attempts: the frames of each pass one array down."""

import sys

import numpy

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


def parse(rows):
    raise ValueError(f"{len(rows)} rows")


def attempt(rows):
    parse(rows)


def read():
    rows = numpy.zeros((256, 256))
    kept = []
    for _ in range(2):
        try:
            attempt(rows)
        except ValueError as error:
            kept.append(
                str(error)
                if fixed
                else error.with_traceback(error.__traceback__.tb_next)
            )
    return kept


first, second = read()

print(leakgraph.findings())
