"""A Hessian-vector product of one tensor that is no module's parameter."""

import sys
import warnings

import torch

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
warnings.simplefilter("ignore")


def curvature(point, direction):
    (point**3).sum().backward(create_graph=True)
    product = (point.grad * direction).sum().item()
    if fixed:
        point.grad = None
    return product


products = []
for _ in range(2):
    point = torch.linspace(-1, 1, 5000, requires_grad=True)
    products.append(curvature(point, torch.ones(5000)))
    del point
print(leakgraph.findings())
