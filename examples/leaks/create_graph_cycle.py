"""Second derivatives by backward(create_graph=True): gradients that never die.

python examples/leaks/create_graph_cycle.py [fixed]
"""

import sys
import warnings

import torch

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
warnings.simplefilter("ignore")  # PyTorch itself warns of this cycle


def penalty(model):
    """The size of the gradient, for a gradient penalty."""
    loss = model(torch.randn(32, 64)).square().mean()
    if fixed:
        gradients = torch.autograd.grad(loss, model.parameters(), create_graph=True)
    else:
        loss.backward(create_graph=True)
        gradients = [parameter.grad for parameter in model.parameters()]
    return sum(gradient.square().sum() for gradient in gradients).item()


penalty(torch.nn.Linear(64, 256))

print(leakgraph.findings())
