"""An autocast block that never ends: its copies of the weights stay.

python examples/leaks/autocast_cache.py [fixed]

Needs a CUDA device, because only the CUDA allocator's records show what autocast keeps.
"""

import sys

import torch

import leakgraph

if not torch.cuda.is_available():
    sys.exit("no CUDA device")

fixed = sys.argv[1:] == ["fixed"]
torch.cuda.memory._record_memory_history("state", context="state", stacks="all")
model = torch.nn.Linear(1024, 1024).cuda()
block = torch.autocast("cuda")
block.__enter__()
model(torch.randn(32, 1024, device="cuda")).sum().item()
if fixed:
    block.__exit__(None, None, None)

print(leakgraph.findings())
