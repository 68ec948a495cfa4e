"""A kept exception: its traceback keeps the locals of every frame that it passed.

python examples/leaks/exception_traceback.py [fixed]
"""

import sys

import torch

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
failures = []


def step():
    """Fails while it holds many activations."""
    activations = [torch.randn(256, 256) for _ in range(4)]
    raise RuntimeError(f"out of memory after {len(activations)} layers")


for _ in range(3):
    try:
        step()
    except RuntimeError as error:
        failures.append(str(error) if fixed else error)

print(leakgraph.findings())
