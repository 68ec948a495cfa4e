"""A method that runs, and keeps what no step of it needs any more."""

import torch

import leakgraph


class Trainer:
    def __init__(self):
        self.cell, self.head = torch.nn.GRUCell(4, 8), torch.nn.Linear(8, 1)
        parameters = [*self.cell.parameters(), *self.head.parameters()]
        self.optimizer = torch.optim.SGD(parameters, lr=0.1)
        self.state = torch.zeros(64, 8)
        self.losses, self.outputs = [], []

    def train(self):
        for _ in range(40):
            loss = self.head(self.cell(torch.randn(64, 4))).square().mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.losses.append(loss)
        for _ in range(40):
            self.outputs.append(self.head(torch.randn(64, 8)))
        for _ in range(256):
            self.state = self.cell(torch.randn(64, 4), self.state)
        print(leakgraph.findings())


Trainer().train()
