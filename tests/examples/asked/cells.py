"""A notebook: a cell trains, and the next one asks what the first one left."""

import sys
import types

import leakgraph

TRAIN = """
import torch
cell = torch.nn.GRUCell(16, 64)
state = torch.zeros(8, 64)
for _ in range(20):
    state = cell(torch.randn(8, 16), state)
    loss = state.square().mean()
    loss.backward(retain_graph=True)
"""
ASK = "print(leakgraph.findings())"

notebook = types.ModuleType("notebook")
notebook.leakgraph = leakgraph
sys.modules["notebook"] = notebook
for source in (TRAIN, ASK):
    exec(compile(source, "cell", "exec"), vars(notebook))
