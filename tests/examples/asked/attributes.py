"""An object that gets an attribute for the output of each step."""

import torch

import leakgraph


class Record:
    pass


network = torch.nn.Linear(16, 64)
record = Record()
for step in range(10):
    setattr(record, f"out{step}", network(torch.randn(8, 16)).tanh())
print(leakgraph.findings())
