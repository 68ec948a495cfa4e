"""A training loop with Adam keeps the mean of its last fifty losses, as numbers."""

import collections

import program
import torch

NATIVE = True

net = torch.nn.Sequential(
    torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1)
)
optimizer = torch.optim.Adam(net.parameters())
losses = collections.deque(maxlen=50)


def work(number):
    optimizer.zero_grad()
    loss = net(torch.randn(32, 64)).square().mean()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())


if __name__ == "__main__":
    program.run(work, losses.clear)
