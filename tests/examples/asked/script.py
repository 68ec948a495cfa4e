"""A script that carries a state over many steps, and names it while it runs."""

import torch

import leakgraph

network = torch.nn.GRU(16, 64)
state = torch.zeros(1, 8, 64)
for _ in range(30):
    out, state = network(torch.randn(5, 8, 16), state)
    print(f"{out.mean().item():.0f}")
out = None
print(leakgraph.findings())
