"""A trainer that keeps the losses of its last step, and trains with one of them."""

import torch

import leakgraph


class Trainer:
    def __init__(self):
        self.net = torch.nn.Linear(64, 128)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)

    def step(self):
        out = self.net(torch.randn(32, 64))
        self.losses = {
            "error": out.square().mean(),
            "sparsity": out.abs().mean(),
            "mean": out.mean(),
        }
        self.optimizer.zero_grad()
        self.losses["error"].backward()
        self.optimizer.step()


trainer = Trainer()
for _ in range(3):
    trainer.step()
print(leakgraph.findings())
