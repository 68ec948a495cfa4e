"""Keys and values of each layer, which grow with each token: inference with a graph."""

import sys
from contextlib import nullcontext

import torch

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
layers = [torch.nn.ModuleDict({n: torch.nn.Linear(32, 32) for n in "kv"}) for _ in "12"]
cache = [(torch.zeros(1, 0, 32), torch.zeros(1, 0, 32)) for _ in layers]


def step(token):
    for i, layer in enumerate(layers):
        key = torch.cat([cache[i][0], layer["k"](token)], dim=1)
        value = torch.cat([cache[i][1], layer["v"](token)], dim=1)
        cache[i] = key, value
        weights = (token @ key.transpose(1, 2)).softmax(-1)
        token = weights @ value


with torch.no_grad() if fixed else nullcontext():
    for _ in range(20):
        step(torch.randn(1, 1, 32))

print(leakgraph.findings())
