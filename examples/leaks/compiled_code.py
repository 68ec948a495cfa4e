"""A torch.compile backend with a buffer for each compilation of a function.

python examples/leaks/compiled_code.py [fixed]
"""

import sys

import torch
import torch._dynamo

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


def backend(graph, inputs):
    """Compiles nothing, and keeps a workspace with the result."""
    workspace = torch.empty(256, 256)

    def run(*arguments):
        workspace.zero_()
        return graph.forward(*arguments)

    return run


@torch.compile(backend=backend, dynamic=False)
def double(x):
    """Compiles again for each length."""
    return x * 2


for length in range(2, 7):
    double(torch.randn(length))
if fixed:
    torch._dynamo.reset()

print(leakgraph.findings())
