"""A WGAN-GP that keeps its last losses: sums of three forward passes of the critic."""

import torch

import leakgraph


class Trainer:
    def __init__(self):
        self.critic = torch.nn.Sequential(
            torch.nn.Linear(64, 128), torch.nn.LeakyReLU(0.2), torch.nn.Linear(128, 1)
        )
        self.generator = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.Tanh())
        self.of_critic = torch.optim.Adam(self.critic.parameters())
        self.of_generator = torch.optim.Adam(self.generator.parameters())

    def penalty(self, real, fake):
        mix = (0.3 * real + 0.7 * fake).requires_grad_()
        out = self.critic(mix)
        (slope,) = torch.autograd.grad(
            out, mix, torch.ones_like(out), create_graph=True
        )
        return (slope.norm(2, dim=1) - 1).square().mean()

    def step(self):
        real = torch.randn(32, 64)
        fake = self.generator(torch.randn(32, 16))
        self.of_critic.zero_grad()
        self.d_loss = (
            -self.critic(real).mean()
            + self.critic(fake.detach()).mean()
            + 10 * self.penalty(real, fake.detach())
        )
        self.d_loss.backward()
        self.of_critic.step()
        self.of_generator.zero_grad()
        self.g_loss = -self.critic(fake).mean()
        self.g_loss.backward()
        self.of_generator.step()


trainer = Trainer()
for _ in range(3):
    trainer.step()
print(leakgraph.findings())
