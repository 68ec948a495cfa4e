"""Two optimizers of a model that is gone, with their states and the gradients."""

import sys

import torch

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


def train(model, optimizer):
    model(torch.randn(32, 64)).square().mean().backward()
    optimizer.step()


model = torch.nn.Linear(64, 512)
warm_up = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
train(model, warm_up)
optimizer = torch.optim.Adam(model.parameters())
train(model, optimizer)
model = torch.nn.Linear(64, 16)
if fixed:
    del warm_up, optimizer

print(leakgraph.findings())
