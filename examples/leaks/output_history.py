"""Predictions kept for a metric, each with the activations of its forward pass.

python examples/leaks/output_history.py [fixed]
"""

import sys

import torch

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
model = torch.nn.Sequential(
    torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10)
)
predictions = []
for _ in range(8):
    output = model(torch.randn(32, 64))
    predictions.append(output.detach() if fixed else output)

print(leakgraph.findings())
