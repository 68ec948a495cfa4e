"""Trials of learning rates on one network: each trial keeps its optimizer."""

import sys
from types import SimpleNamespace

import torch

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
network = torch.nn.Sequential(torch.nn.Linear(128, 512), torch.nn.Linear(512, 1))
trials = {}
for rate in (0.1, 0.01):
    solver = torch.optim.SGD(network.parameters(), lr=rate, momentum=0.9)
    network(torch.randn(8, 128)).mean().backward()
    solver.step()
    if fixed:
        solver.state.clear()
    trials[rate] = SimpleNamespace(solver=solver, score=0.5)
del solver
print(leakgraph.findings())
