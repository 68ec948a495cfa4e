"""Modifies saved tensors in place, and prints what the capture and PyTorch say.

Each line of output: the name of the case, the facts "modified" of its nodes added up,
and whether a backward pass "fails" for it or "runs".
"""

import torch

import leakgraph


class Scale(torch.autograd.Function):
    """A Function in Python that saves two tensors."""

    @staticmethod
    def forward(ctx, value, factor):
        ctx.save_for_backward(value, factor)
        return value * factor

    @staticmethod
    def backward(ctx, gradient):
        value, factor = ctx.saved_tensors
        return gradient * factor, gradient * value


def made():
    """Yield the name of each case, its result, and the tensors to modify."""
    leaf = torch.ones(3, requires_grad=True)
    factor = torch.ones(3)
    yield "nothing", leaf * factor, []
    yield "input", leaf * factor, [factor]
    yield "own output", (leaf * 2).exp(), "output"
    layer = torch.nn.Linear(3, 3)
    inner = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ReLU(), layer)
    yield "weight", inner(torch.ones(1, 3)), [layer.weight]
    yield "detached", leaf * factor, [factor.detach()]
    other = torch.ones(3)
    yield "apart", leaf * other, [other.data]
    yield "view", leaf * factor, [factor[:1]]
    yield "function", Scale.apply(leaf, factor), [factor]
    many = [torch.ones(3, requires_grad=True) for _ in range(3)]
    yield "list", torch._foreach_mul(many, [factor] * 3)[0], [factor]


def fails(result):
    """Return whether a backward pass raises the error."""
    try:
        result.sum().backward()
    except RuntimeError as error:
        return "modified by an inplace operation" in str(error)
    return False


def modified(result):
    """Add up the facts "modified" of the nodes behind a tensor in a snapshot."""
    with leakgraph.snapshot() as snapshot:
        start = snapshot.find(result)
        pending = [e.target for e in start.referents() if e.label == ".grad_fn"]
        total = 0
        while pending:
            node = pending.pop()
            total += int(node.facts.get("modified", 0))
            pending += [
                edge.target
                for edge in node.referents()
                if edge.label.startswith(".next_functions")
            ]
        return total


for case, result, targets in made():
    with torch.no_grad():
        for target in [result.detach()] if targets == "output" else targets:
            target.mul_(2)
    print(case, modified(result), "fails" if fails(result) else "runs")
