"""A method that fills buffers of its object before backward()."""

import torch

import leakgraph


class Agent:
    def __init__(self):
        self.net = torch.nn.Sequential(
            torch.nn.Linear(64, 256), torch.nn.Tanh(), torch.nn.Linear(256, 4)
        )
        self.choices, self.penalties = [], []

    def episode(self):
        for _ in range(40):
            out = self.net(torch.randn(64))
            self.choices.append(out.log_softmax(-1))
            self.penalties.append(out.square().mean())
        found = leakgraph.findings()
        (torch.stack(self.choices).mean() + sum(self.penalties)).backward()
        self.choices.clear()
        self.penalties.clear()
        return found


agent = Agent()
for _ in range(2):
    found = agent.episode()
print(found)
