"""An agent collects an episode of fifty steps, learns from it, and begins another."""

import program
import torch

NATIVE = True

policy = torch.nn.Linear(16, 4)
optimizer = torch.optim.SGD(policy.parameters(), 1e-3)
episode = []


def work(number):
    episode.append(policy(torch.randn(16)).log_softmax(0)[0])
    if len(episode) == 50:
        optimizer.zero_grad()
        (-torch.stack(episode).sum()).backward()
        optimizer.step()
        episode.clear()


if __name__ == "__main__":
    program.run(work, episode.clear)
