"""A hook that refers to the tensor it is registered on: nothing frees them.

python examples/leaks/hook_cycle.py [fixed]
"""

import sys

import torch

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


def clip(x):
    """Limits the gradient by the size of the output."""
    y = x.exp()
    limit = y.detach() if fixed else y
    y.register_hook(lambda gradient: gradient.clamp(-limit.max(), limit.max()))
    return y


weight = torch.randn(256, 256, requires_grad=True)
for _ in range(3):
    clip(weight).sum().backward()

print(leakgraph.findings())
