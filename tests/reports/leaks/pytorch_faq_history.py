"""A training loop appends each loss, with its graph, to a list.

https://docs.pytorch.org/docs/stable/notes/faq.html
"""

import program
import torch

HOLDERS = ("__main__.trainer.losses[*]",)
FINDINGS = ("loss-history",)
NATIVE = True


class Trainer:
    def __init__(self):
        self.net = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.Tanh())
        self.losses = []

    def step(self):
        loss = self.net(torch.randn(64, 64)).square().mean()
        self.losses.append(loss.item() if program.FIXED else loss)
        del self.losses[: -50 if program.FIXED else 0]


trainer = Trainer()


def work(number):
    trainer.step()


if __name__ == "__main__":
    program.run(work, trainer.losses.clear)
