"""A DataLoader's iterator that a program keeps unfinished, with prefetched batches.

python examples/leaks/prefetched_batches.py [fixed]
"""

import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


class Images(Dataset):
    """Makes every other batch slowly, so that the others wait for their turn."""

    def __len__(self):
        return 64

    def __getitem__(self, index):
        if index // 4 % 2 == 0:
            time.sleep(0.05)
        return torch.randn(3, 64, 64)


loader = DataLoader(Images(), batch_size=4, num_workers=2, prefetch_factor=4)
batches = iter(loader)
for _ in range(3):
    next(batches)
if fixed:
    del batches

print(leakgraph.findings())
