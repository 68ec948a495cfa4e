"""Points that are pruned and replaced, in groups by name, one of which is left."""

import sys

import torch

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


class Scene:
    def __init__(self):
        self.points = {"position": torch.rand(5000, 3), "colour": torch.rand(5000, 3)}
        for points in self.points.values():
            points.requires_grad_()
        self.solver = torch.optim.SGD(
            [{"params": [p], "name": n} for n, p in self.points.items()],
            lr=0.1,
            momentum=0.9,
        )

    def step(self):
        sum(points.square().sum() for points in self.points.values()).backward()
        self.solver.step()
        self.solver.zero_grad()

    def prune(self):
        for group in self.solver.param_groups:
            old = self.points[group["name"]]
            new = old.detach()[::2].clone().requires_grad_()
            self.points[group["name"]] = new
            if fixed or group["name"] == "colour":
                self.solver.state.pop(old)
                group["params"][0] = new


scene = Scene()
scene.step()
scene.prune()
print(leakgraph.findings())
