"""A kept exception: its traceback keeps every local it passed on its way.

python examples/leaks/exception_traceback.py [fixed]
"""

import sys

import torch

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
failures = []


def step():
    """Fails with much in its hands."""
    activations = [torch.randn(256, 256) for _ in range(4)]
    raise RuntimeError(f"out of memory after {len(activations)} layers")


for _ in range(3):
    try:
        step()
    except RuntimeError as error:
        failures.append(str(error) if fixed else error)

print(leakgraph.findings())
