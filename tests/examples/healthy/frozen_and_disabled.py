"""A server that freezes what it keeps, and collects when it suits it."""

import gc

import leakgraph

tables = [bytearray(200_000) for _ in range(3)]
gc.disable()
gc.collect()
gc.freeze()
print(leakgraph.findings())
