"""Hooks of parameters after the gradient, which refer to the optimizer of each."""

import gc
import sys

import torch

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


def attach(model):
    handles = []
    for parameter in model.parameters():
        optimizer = torch.optim.SGD([parameter], lr=0.1)

        def step(_, parameter=parameter, optimizer=optimizer):
            optimizer.step()
            parameter.grad = None

        handles.append(parameter.register_post_accumulate_grad_hook(step))
    return handles


for _ in range(2):
    model = torch.nn.Linear(64, 512)
    handles = attach(model)
    model(torch.randn(4, 64)).sum().backward()
    if fixed:
        for handle in handles:
            handle.remove()
del model, handles
gc.collect()
print(leakgraph.findings())
