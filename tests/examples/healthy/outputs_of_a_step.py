"""Outputs of one step: features of each layer, views of a batch, fast weights."""

import torch

import leakgraph

layers = torch.nn.ModuleList(torch.nn.Linear(64, 64) for _ in range(12))
head = torch.nn.utils.weight_norm(torch.nn.Linear(64, 8))
for _ in range(3):
    features = [torch.randn(32, 64)]
    for layer in layers:
        features.append(torch.relu(layer(features[-1])))
    views = [layers[0](torch.randn(32, 64)) for _ in range(7)]
    slopes = torch.autograd.grad(
        head(features[-1]).square().mean(), layers.parameters(), create_graph=True
    )
    fast = [p - 0.1 * slope for p, slope in zip(layers.parameters(), slopes)]
    slow = [p - 0.1 * slope.detach() for p, slope in zip(layers.parameters(), slopes)]
    layers.zero_grad()
    sum(part.square().mean() for part in [*views, *fast, *slow]).backward()
print(leakgraph.findings())
