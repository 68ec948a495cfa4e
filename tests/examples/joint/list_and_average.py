"""Validation losses in a list, and their moving average."""

import sys

import torch

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
model = torch.nn.Sequential(
    torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 1)
)
val_losses = []
average = 0.0
for _ in range(4):
    val_loss = model(torch.randn(256, 64)).square().mean()
    if fixed:
        val_loss = val_loss.item()
    val_losses.append(val_loss)
    average = 0.9 * average + 0.1 * val_loss
del val_loss

print(leakgraph.findings())
