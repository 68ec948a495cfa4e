"""Outputs with their graphs in a list, and some of them under names."""

import sys

import torch

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
model = torch.nn.Sequential(
    torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10)
)
outputs = []
for _ in range(16):
    output = model(torch.randn(256, 64))
    outputs.append(output.detach() if fixed else output)
first, last = outputs[0], outputs[-1]
del output

print(leakgraph.findings())
