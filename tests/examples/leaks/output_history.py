"""A replay buffer in an attribute: records of actions and values, in a deque."""

import sys
from collections import deque
from typing import NamedTuple

import torch

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


class Step(NamedTuple):
    reward: float
    seen: dict


class Agent:
    def __init__(self):
        self.network = torch.nn.GRU(16, 32, batch_first=True)
        self.memory = deque(maxlen=1000)

    def act(self, state):
        out, _ = self.network(state)
        value = out[:, -1].tanh()
        value.sum().backward()
        self.memory.append(Step(1.0, {"value": value.detach() if fixed else value}))


def play(agent):
    for _ in range(10):
        agent.act(torch.randn(4, 6, 16))


agent = Agent()
play(agent)
print(leakgraph.findings())
