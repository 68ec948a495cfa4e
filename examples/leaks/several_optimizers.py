"""A new optimizer for each phase: the schedulers keep the old ones.

python examples/leaks/several_optimizers.py [fixed]
"""

import sys

import torch

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
model = torch.nn.Linear(256, 256)
schedulers = []
for phase in range(3):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1 / (phase + 1))
    if fixed:
        schedulers.clear()
    schedulers.append(torch.optim.lr_scheduler.StepLR(optimizer, 10))
    model(torch.randn(32, 256)).square().mean().backward()
    optimizer.step()
    schedulers[-1].step()

print(leakgraph.findings())
