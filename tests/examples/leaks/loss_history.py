"""A deque of records in a dict of an object that a function made."""

import sys
from collections import deque
from dataclasses import dataclass
from types import SimpleNamespace

import torch

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


@dataclass
class Record:
    epoch: int
    error: object


def fit(epochs):
    net = torch.nn.LSTM(8, 16, batch_first=True)
    log = SimpleNamespace(curves={"train": deque(maxlen=100), "valid": {}})
    for epoch in range(epochs):
        out, _ = net(torch.randn(4, 12, 8))
        error = out.abs().mean().reshape(1)
        error.backward()
        value = error.detach() if fixed else error
        log.curves["train"].append(Record(epoch, value))
        log.curves["valid"][epoch] = ("no error", epoch)
    return log


log = fit(6)
print(leakgraph.findings())
