"""Losses kept for a plot, each with its whole autograd graph.

python examples/leaks/loss_history.py [fixed]
"""

import sys

import torch

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
model = torch.nn.Sequential(
    torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 1)
)
losses = []
for _ in range(8):
    loss = model(torch.randn(32, 64)).square().mean()
    losses.append(loss.item() if fixed else loss)

print(leakgraph.findings())
