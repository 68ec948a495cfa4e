"""An optimizer for each part of a model, and one that is new and has no state."""

import torch

import leakgraph

body, head = torch.nn.Linear(256, 256), torch.nn.Linear(256, 256)
solvers = [torch.optim.Adam(part.parameters()) for part in (body, head)]
head(body(torch.randn(8, 256))).mean().backward()
for solver in solvers:
    solver.step()
solvers.append(torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1))
print(leakgraph.findings())
