"""A script that unrolls 100 steps of a network before backward(), as it trains."""

import torch

import leakgraph

cell, head = torch.nn.GRUCell(16, 64), torch.nn.Linear(64, 1)
optimizer = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.1)
for _ in range(2):
    state = torch.zeros(8, 64)
    for _ in range(100):
        state = cell(torch.randn(8, 16), state)
    loss = head(state).square().mean()
    found = leakgraph.findings()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(found)
