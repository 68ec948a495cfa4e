"""New parameters take the place of old ones, whose state stays in the optimizer.

https://github.com/nv-tlabs/3dgrut/pull/93
"""

import program
import torch

HOLDERS = (
    "__main__.optimizer.state[*]",
    "__main__.optimizer.state key",
)
FINDINGS = ("stale-optimizer",)
NATIVE = True

points = torch.nn.Parameter(torch.randn(200, 4))
optimizer = torch.optim.Adam([points], foreach=False)


def densify():
    group = optimizer.param_groups[0]
    old = group["params"][0]
    new = torch.nn.Parameter(old.detach().clone())
    if program.FIXED:
        optimizer.state.pop(old, None)
    group["params"][0] = new
    return new


def work(number):
    global points
    points.sum().backward()
    optimizer.step()
    points = densify()


if __name__ == "__main__":
    program.run(work, lambda: optimizer.state.clear())
