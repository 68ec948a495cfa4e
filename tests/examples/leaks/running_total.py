"""A moving average in an attribute, of a network with a residual connection."""

import sys

import torch

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


class Meter:
    average = None

    def see(self, value):
        if self.average is None:
            self.average = value
        else:
            self.average = 0.9 * self.average + 0.1 * value


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(32, 32)

    def forward(self, x):
        return x + torch.relu(self.inner(x))


def main():
    meters = {"error": [Meter()]}
    net = torch.nn.Sequential(Block(), Block(), Block())
    for _ in range(10):
        error = (net(torch.randn(16, 32)) - 1).abs().sum() / 16
        error.backward()
        meters["error"][0].see(error.detach() if fixed else error)
    return meters


meters = main()
print(leakgraph.findings())
