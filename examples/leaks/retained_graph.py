"""Needless retain_graph=True: the last loss keeps all its activations.

python examples/leaks/retained_graph.py [fixed]
"""

import sys

import torch

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


class Trainer:
    """Remembers its last loss."""

    def __init__(self):
        self.model = torch.nn.Sequential(
            torch.nn.Linear(64, 256), torch.nn.Sigmoid(), torch.nn.Linear(256, 1)
        )

    def step(self):
        """One step."""
        self.loss = self.model(torch.randn(32, 64)).square().mean()
        self.loss.backward(retain_graph=not fixed)


trainer = Trainer()
for _ in range(3):
    trainer.step()

print(leakgraph.findings())
