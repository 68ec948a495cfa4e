"""The six losses of a CycleGAN's step, added up and each kept under its name."""

import torch

import leakgraph


def network(width):
    return torch.nn.Sequential(
        torch.nn.Linear(64, 64), torch.nn.Tanh(), torch.nn.Linear(64, width)
    )


there, back = network(64), network(64)
critic_a, critic_b = network(1), network(1)
for _ in range(3):
    a, b = torch.randn(32, 64), torch.randn(32, 64)
    fake_b, fake_a = there(a), back(b)
    losses = {
        "critic a": (critic_a(fake_a) - 1).square().mean(),
        "critic b": (critic_b(fake_b) - 1).square().mean(),
        "cycle a": (back(fake_b) - a).abs().mean(),
        "cycle b": (there(fake_a) - b).abs().mean(),
        "same a": (back(a) - a).abs().mean(),
        "same b": (there(b) - b).abs().mean(),
    }
    loss = sum(losses.values())
    loss.backward()
print(leakgraph.findings())
