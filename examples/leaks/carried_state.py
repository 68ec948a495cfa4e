"""A recurrent network that keeps its hidden state: it keeps the graph of every step.

python examples/leaks/carried_state.py [fixed]
"""

import sys

import torch

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


class Agent:
    """Remembers what it saw."""

    def __init__(self):
        self.cell = torch.nn.GRUCell(64, 256)
        self.memory = torch.zeros(32, 256)

    def see(self, picture):
        """One step."""
        self.memory = self.cell(picture, self.memory)
        if fixed:
            self.memory = self.memory.detach()


agent = Agent()
for _ in range(20):
    agent.see(torch.randn(32, 64))

print(leakgraph.findings())
