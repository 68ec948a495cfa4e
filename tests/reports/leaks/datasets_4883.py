"""A list keeps one row of each table, and each row keeps its whole table.

https://github.com/huggingface/datasets/issues/4883
"""

import numpy
import program
import pyarrow

HOLDERS = ("__main__.best[*]",)
FINDINGS = ("small-view", "dataframe-slice")
NATIVE = True

best = []


def work(number):
    table = pyarrow.table({"id": numpy.arange(8000) + number})
    row = table.slice(number % 8000, 1)
    best.append(row.to_pylist() if program.FIXED else row)
    del best[: -20 if program.FIXED else 0]


if __name__ == "__main__":
    program.run(work, best.clear)
