"""Embeddings of a few words, as views that keep the whole table.

python examples/leaks/small_view.py [fixed]
"""

import sys

import torch

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
table = torch.randn(4096, 256)
known = {word: table[i] for i, word in enumerate(["cat", "dog", "cow"])}
if fixed:
    known = {word: row.clone() for word, row in known.items()}
del table

print(leakgraph.findings())
