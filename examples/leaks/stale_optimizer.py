"""An optimizer that keeps the parameters of a replaced model.

python examples/leaks/stale_optimizer.py [fixed]
"""

import sys

import torch

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


def train(model, optimizer):
    """One step."""
    model(torch.randn(32, 64)).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()


model = torch.nn.Linear(64, 512)
optimizer = torch.optim.Adam(model.parameters())
train(model, optimizer)

model = torch.nn.Linear(64, 16)
if fixed:
    optimizer = torch.optim.Adam(model.parameters())
    train(model, optimizer)

print(leakgraph.findings())
