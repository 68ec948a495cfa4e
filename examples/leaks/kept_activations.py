"""A forward hook that keeps the outputs of a layer, with their autograd graphs.

python examples/leaks/kept_activations.py [fixed]
"""

import sys

import torch

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
model = torch.nn.Sequential(
    torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 1)
)
activations = {}


def record(name):
    """Makes a hook that keeps the output of a layer under that name."""

    def hook(module, inputs, output):
        activations[name] = output.detach() if fixed else output

    return hook


model[0].register_forward_hook(record("first"))
for _ in range(3):
    model(torch.randn(32, 64)).square().mean().backward()

print(leakgraph.findings())
