"""A script between forward and backward: one forward pass over a long sequence."""

import torch

import leakgraph

network = torch.nn.GRU(16, 64, num_layers=2)
head = torch.nn.Linear(64, 16)
state = torch.zeros(2, 8, 64)
for _ in range(3):
    out, state = network(torch.randn(60, 8, 16), state.detach())
    loss = head(out).square().mean()
    found = leakgraph.findings()
    loss.backward()
print(found)
