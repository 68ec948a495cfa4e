"""An agent stores each transition, and its memory has no limit."""

import program
import torch

HOLDERS = ("__main__.agent.memory[*]",)
NATIVE = True


class Agent:
    def __init__(self):
        self.memory = []

    def store(self, state, action):
        self.memory.append((state, action, torch.rand(1)))
        del self.memory[: -10 if program.FIXED else 0]


agent = Agent()


def work(number):
    agent.store(torch.zeros(1000), number)


if __name__ == "__main__":
    program.run(work, agent.memory.clear)
