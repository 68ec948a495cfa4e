"""A method compiled for each value of a flag, by a backend that is an object."""

import sys

import torch
import torch._dynamo

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


class Runner:
    def __init__(self, graph, inputs):
        self.graph = graph
        self.scratch = {"buffers": [torch.zeros(128, 256)]}

    def __call__(self, *arguments):
        return self.graph(*arguments)


def compiler(graph, inputs):
    runner = Runner(graph, inputs)
    return lambda *arguments: runner(*arguments)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x, power):
        return self.layer(x) ** power


net = torch.compile(Net(), backend=compiler)
for power in (2.0, 3.0) if fixed else (2.0, 3.0, 4.0):
    net(torch.randn(2, 4), power)
    if fixed:
        torch._dynamo.reset()
print(leakgraph.findings())
