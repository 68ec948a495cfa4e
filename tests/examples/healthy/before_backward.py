"""A loss of a script between forward and backward, with the last step's gradients."""

import torch

import leakgraph

net = torch.nn.Sequential(
    torch.nn.Linear(64, 256), torch.nn.Sigmoid(), torch.nn.Linear(256, 1)
)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    loss = net(torch.randn(32, 64)).square().mean()
    found = leakgraph.findings()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(found)
