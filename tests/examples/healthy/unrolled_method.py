"""A method that unrolls 100 steps in an attribute, between forward and backward."""

import torch

import leakgraph


class Reader:
    def __init__(self):
        self.cell = torch.nn.GRUCell(16, 64)
        self.hidden = torch.zeros(8, 64)

    def read(self, steps):
        self.hidden = self.hidden.detach()
        for _ in range(steps):
            self.hidden = self.cell(torch.randn(8, 16), self.hidden)
        found = leakgraph.findings()
        self.hidden.square().mean().backward()
        return found


reader = Reader()
for _ in range(2):
    found = reader.read(100)
print(found)
