"""Adapters are loaded for each tenant, and never deleted from the layer.

https://github.com/huggingface/peft/issues/738
"""

import program
import torch
from torch import nn

HOLDERS = (
    "__main__.model.base.attn.q.lora_A[*]",
    "__main__.model.base.attn.q.lora_A._modules[*]",
)
NATIVE = True


class Lora(nn.Module):
    def __init__(self):
        super().__init__()
        self.base_layer = nn.Linear(64, 64)
        self.lora_A = nn.ModuleDict()


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q = Lora()
        self.out = nn.Linear(64, 64)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.base = nn.Module()
        self.base.attn = Attention()
        self.head = nn.Linear(64, 4)


model = Model()


def adapters():
    return model.base.attn.q.lora_A


def work(number):
    adapters()[f"tenant{number}"] = nn.Linear(64, 32, bias=False)
    if program.FIXED:
        del adapters()[f"tenant{number}"]


if __name__ == "__main__":
    torch.manual_seed(0)
    program.run(work, lambda: adapters().clear())
