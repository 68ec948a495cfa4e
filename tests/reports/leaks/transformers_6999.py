"""An average of losses keeps the autograd graph of every step.

https://github.com/huggingface/transformers/issues/6999
"""

import program
import torch

HOLDERS = ("__main__.meter.sum",)
FINDINGS = ("running-total",)
NATIVE = True


class Meter:
    sum = 0.0


meter = Meter()
net = torch.nn.Linear(32, 32)


def work(number):
    loss = net(torch.randn(64, 32)).square().mean()
    meter.sum = meter.sum + (loss.item() if program.FIXED else loss)


def let_go():
    meter.sum = 0.0


if __name__ == "__main__":
    program.run(work, let_go)
