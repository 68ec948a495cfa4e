"""Two lists of losses over one graph: neither keeps much alone."""

import sys

import torch

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
model = torch.nn.Sequential(
    torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10)
)
errors, penalties = [], []
for _ in range(8):
    hidden = model(torch.randn(256, 64))
    error, penalty = hidden.square().mean(), hidden.abs().mean()
    errors.append(error.item() if fixed else error)
    penalties.append(penalty.item() if fixed else penalty)
del hidden, error, penalty

print(leakgraph.findings())
