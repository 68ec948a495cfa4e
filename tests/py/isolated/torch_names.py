"""Parameters have their names in labels, in tables, and on the path from a root."""

import gc

import torch
from torch import nn

import leakgraph


class Deep(nn.Module):
    """A module that is further from its holder than the optimizer's state is."""

    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(
            nn.ModuleDict({"inner": nn.Sequential(nn.Linear(6, 5), nn.BatchNorm1d(5))})
            for _ in range(2)
        )

    def forward(self, x):
        return self.blocks[0]["inner"](x)


model = Deep()
unused = nn.Parameter(torch.ones(7))
late = nn.Parameter(torch.ones(9))
optimizer = torch.optim.Adam([*model.parameters(), unused])
optimizer.add_param_group({"params": [late], "lr": 0.1})
(model(torch.randn(4, 6)).sum() + unused.sum() + late.sum()).backward()
optimizer.step()
parameters = dict(model.named_parameters())
weight = model.blocks[0]["inner"][0].weight
moment = optimizer.state[weight]["exp_avg"]
del parameters["blocks.0.inner.0.weight"]
gc.collect()

snapshot = leakgraph.snapshot()


def named(tensor):
    return snapshot.find(tensor).facts.get("parameter")


assert named(weight) == "blocks.0.inner.0.weight"
for name, parameter in parameters.items():
    assert named(parameter) == name, name
assert named(unused) == "param 8"  # of eight in the model, counted from 0
assert named(late) == "param 9"
assert named(moment) is None
assert named(model.blocks[0]["inner"][1].running_mean) is None

state = snapshot.find(optimizer.state)
labels = {edge.label for edge in state.referents()}
assert "[blocks.0.inner.0.weight]" in labels and "[param 8]" in labels, labels
assert "key blocks.0.inner.0.weight" in labels, labels

table = str(snapshot.tensors(limit=200, group="storage"))
assert ".state[blocks.0.inner.0.weight]['exp_avg_sq']" in table, table
assert ".state[param 9]['exp_avg_sq']" in table, table

# The answer is the most telling path, not the shortest one.
answer = str(snapshot.why(weight)).split("To free")[0]
assert "._parameters" in answer and ".state" not in answer, answer
assert "exp_avg" in str(snapshot.why(moment))

with leakgraph.snapshot(keys=False) as bare:
    assert "parameter" not in bare.find(weight).facts

# A garbage module names its parameters, but no path leads through it.
gc.disable()
model.myself = [model]
del model, weight, parameter, parameters
first = next(iter(optimizer.state))
snapshot = leakgraph.snapshot()
assert named(first) == "blocks.0.inner.0.weight"
answer = str(snapshot.why(first))
assert "._parameters" not in answer and "__main__.first" in answer, answer
print("right")
