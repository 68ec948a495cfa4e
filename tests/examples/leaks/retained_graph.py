"""A trainer that keeps its last loss as an attribute, of two backward passes."""

import sys

import torch

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


class Trainer:
    def __init__(self):
        self.generator = torch.nn.Conv2d(3, 8, 3)
        self.critic = torch.nn.Conv2d(8, 1, 3)
        self.state = {"step": 0}

    def step(self):
        fake = self.critic(torch.tanh(self.generator(torch.randn(2, 3, 32, 32))))
        loss = fake.mean()
        loss.backward(retain_graph=True)
        loss.backward()
        if not fixed:
            loss = self.critic(torch.tanh(self.generator(torch.randn(2, 3, 32, 32))))
            loss = loss.mean()
            loss.backward(retain_graph=True)
        self.state.update(step=self.state["step"] + 1, loss=loss.detach())
        if not fixed:
            self.state["loss"] = loss


trainer = Trainer()
trainer.step()
trainer.step()
print(leakgraph.findings())
