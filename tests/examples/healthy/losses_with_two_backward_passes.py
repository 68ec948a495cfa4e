"""A method that calls backward() twice on a loss in an attribute, in between."""

import torch

import leakgraph


class Trainer:
    def __init__(self):
        self.net = torch.nn.Sequential(
            torch.nn.Linear(64, 256), torch.nn.Tanh(), torch.nn.Linear(256, 1)
        )

    def step(self):
        self.loss = self.net(torch.randn(32, 64)).square().mean()
        self.loss.backward(retain_graph=True)
        found = leakgraph.findings()
        (0.5 * self.loss).backward()
        return found


trainer = Trainer()
for _ in range(2):
    found = trainer.step()
print(found)
