"""Caches with a limit that somebody chose: lru_cache(maxsize=4)."""

import functools

import torch

import leakgraph


@functools.lru_cache(maxsize=4)
def mask(size):
    return torch.ones(size, size).tril()


class Table:
    @functools.lru_cache(4)  # noqa: B019
    def column(self, name):
        return torch.ones(300, 100)


table = Table()
for size in range(256, 266):
    mask(size)
    table.column(str(size))
print(leakgraph.findings())
