"""A recurrent network carries its hidden state, with its graph, from batch to batch.

https://docs.pytorch.org/docs/stable/notes/faq.html
"""

import program
import torch

HOLDERS = ("__main__.model.hidden", "__main__.model.hidden.grad_fn")
NATIVE = True


class Model:
    def __init__(self):
        self.cell = torch.nn.GRUCell(32, 32)
        self.hidden = torch.zeros(16, 32)

    def step(self):
        hidden = self.cell(torch.randn(16, 32), self.hidden)
        self.hidden = hidden.detach() if program.FIXED else hidden


model = Model()


def work(number):
    model.step()


def let_go():
    model.hidden = torch.zeros(16, 32)


if __name__ == "__main__":
    program.run(work, let_go)
