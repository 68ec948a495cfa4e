"""Autocast entered by a stack of contexts, with more than one layer."""

import contextlib
import sys

import torch

import leakgraph

if not torch.cuda.is_available():
    sys.exit("no CUDA device")

fixed = sys.argv[1:] == ["fixed"]
torch.cuda.memory._record_memory_history("state", context="state", stacks="all")
net = torch.nn.Sequential(*(torch.nn.Linear(512, 512) for _ in range(3))).cuda()
stack = contextlib.ExitStack()
stack.enter_context(torch.autocast("cuda", dtype=torch.bfloat16))
with torch.no_grad():
    net[0](torch.randn(8, 512, device="cuda"))
net(torch.randn(8, 512, device="cuda")).mean().item()
if fixed:
    torch.clear_autocast_cache()
print(leakgraph.findings())
