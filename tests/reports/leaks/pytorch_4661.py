"""Gradients that have graphs of their own are added up, and never reset.

https://github.com/pytorch/pytorch/issues/4661
"""

import warnings

import program
import torch

HOLDERS = ("__main__.model.weight.grad", "__main__.model.weight", "__main__.model")
FINDINGS = ("create-graph-cycle",)
NATIVE = True

warnings.filterwarnings("ignore")
model = torch.nn.Linear(32, 32, bias=False)


def work(number):
    loss = model(torch.randn(16, 32)).tanh().pow(2).sum()
    loss.backward(create_graph=True)
    if program.FIXED:
        model.zero_grad()


if __name__ == "__main__":
    program.run(work, model.zero_grad)
