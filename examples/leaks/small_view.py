"""Embeddings of a few words, cut out of a table that then stays as a whole.

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
