"""Losses in a history, and in the closures of a report."""

import sys

import torch

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
model = torch.nn.Sequential(
    torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10)
)


def later(loss):
    """Return a function that formats the loss when somebody asks."""
    return lambda: f"{loss:.3f}"


losses, lines = [], []
for step in range(8):
    loss = model(torch.randn(256, 64)).square().mean()
    losses.append(loss.item() if fixed else loss)
    if step >= 4 and not fixed:
        lines.append((step, later(loss), "loss"))
del loss

print(leakgraph.findings())
