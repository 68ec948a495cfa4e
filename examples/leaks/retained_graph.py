"""Needless retain_graph=True: the last loss keeps all its activations.

python examples/leaks/retained_graph.py [fixed]
"""

import sys

import torch

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
model = torch.nn.Sequential(
    torch.nn.Linear(64, 256), torch.nn.Sigmoid(), torch.nn.Linear(256, 1)
)
for _ in range(3):
    loss = model(torch.randn(32, 64)).square().mean()
    loss.backward(retain_graph=not fixed)

print(leakgraph.findings())
