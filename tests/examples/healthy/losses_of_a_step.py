"""A dict of this step's three losses, and lists of a few losses of one step."""

import torch

import leakgraph

net = torch.nn.Sequential(
    torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 8)
)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    losses = {
        "real": net(torch.randn(32, 64)).mean(),
        "fake": net(torch.randn(32, 64)).abs().mean(),
        "penalty": net(torch.randn(32, 64)).square().mean(),
    }
    out = net(torch.randn(32, 64))
    of_heads = [out[:, head].square().mean() for head in range(8)]
    of_views = [net(torch.randn(32, 64)).std() for _ in range(2)]
    optimizer.zero_grad()
    sum([*losses.values(), *of_heads, *of_views]).backward()
    optimizer.step()
print(leakgraph.findings())
