"""The first rows of a DataFrame: they keep all of them.

python examples/leaks/dataframe_slice.py [fixed]
"""

import sys

import numpy
import pandas

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


def read(number):
    """A table."""
    return pandas.DataFrame(
        numpy.full((20_000, 4), float(number)), columns=list("abcd")
    )


samples = []
for number in range(4):
    rows = read(number).iloc[:5]
    samples.append(rows.copy() if fixed else rows)

del rows
print(leakgraph.findings())
