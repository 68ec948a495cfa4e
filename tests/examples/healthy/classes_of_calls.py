"""Classes that calls make and drop wait for the collector: each refers to itself."""

import gc

import leakgraph


def describe(number):
    class Model:
        table = bytes(10_000 + number)

    return Model.table[0]


gc.collect()
gc.set_threshold(100_000)
for number in range(40):
    describe(number)
print(leakgraph.findings())
