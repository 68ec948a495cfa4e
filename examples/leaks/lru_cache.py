"""cache (or lru_cache) on a method: the cache keeps every instance and every result.

python examples/leaks/lru_cache.py [fixed]
"""

import sys
from functools import cache, lru_cache

import torch

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


class Encoder(torch.nn.Module):
    """Remembers its masks."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(128, 128)
        if fixed:
            self.mask = lru_cache(maxsize=4)(Encoder.make_mask)

    @staticmethod
    def make_mask(size):
        """A causal mask."""
        return torch.ones(size, size).tril()

    @cache  # noqa: B019
    def mask(self, size):
        """The mask of that size."""
        return self.make_mask(size)


for _ in range(3):
    encoder = Encoder()
    encoder.mask(256)
del encoder

print(leakgraph.findings())
