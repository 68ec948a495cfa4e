"""Tests tensors(): python ... prints the name of each case that passes.

test_tensors.py runs this script, because no other test may share a process with torch.
All cases use one small training program.
"""

import json
import sys
import tempfile

import torch

import leakgraph

SIDE = 64


class Trainer:
    pass


def train():
    """Train two steps; keep the losses, and a row of a large batch."""
    self = Trainer()
    self.model = torch.nn.Sequential(
        torch.nn.Linear(SIDE, SIDE), torch.nn.BatchNorm1d(SIDE), torch.nn.ReLU()
    )
    self.optimizer = torch.optim.Adam(self.model.parameters())
    self.losses = []
    for _ in range(2):
        batch = torch.randn(100, SIDE)
        self.losses.append((self.model(batch) ** 2).mean())
        self.losses[-1].backward(retain_graph=True)
        self.optimizer.step()
    self.row = torch.zeros(1000, 1000)[0]
    return self


trainer = train()
snapshot = leakgraph.snapshot()


def rows_of(kind):
    return [
        row for row in snapshot.tensors(group="storage", limit=None) if row.kind == kind
    ]


def kinds():
    """Each kind has the storages that PyTorch's own lists contain."""
    parameters = list(trainer.model.parameters())
    state = trainer.optimizer.state
    wanted = {
        "parameter": parameters,
        "gradient": [parameter.grad for parameter in parameters],
        "buffer": list(trainer.model.buffers()),
        "optimizer state": [state[p][n] for p in parameters for n in state[p]],
    }
    for kind, tensors in wanted.items():
        found = sorted(row.node.address for row in rows_of(kind))
        known = sorted({t.untyped_storage().data_ptr() for t in tensors})
        assert found == known, kind
    assert len(rows_of("activation")) >= 6


def holders():
    paths = {row.held_by for row in rows_of("parameter")}
    assert "__main__.trainer.model[0].weight" in paths
    (loss,) = (
        row
        for row in snapshot.tensors(group="storage", limit=None)
        if row.held_by == "__main__.trainer.losses[0]"
    )
    assert loss.bytes == 4 and loss.shape == () and loss.autograd == "MeanBackward0"


def waste():
    """One row keeps a million elements."""
    (row,) = snapshot.tensors(limit=1)
    assert row.held_by == "__main__.trainer.row" and row.tensors == 2
    assert (row.bytes, row.used) == (4_000_000, 4_000) and row.shape == (1000,)
    assert row.tensor.address == id(trainer.row)
    assert "   0.1 %         1  float32[1000] ×2" in str(snapshot.tensors())  # noqa: RUF001


def once():
    """Views, a detached tensor and an array from numpy are one storage."""
    before = snapshot.tensors(limit=None)
    base = torch.arange(1000)
    same = [base[::2], base.view(10, 100), base.detach(), base.numpy()]
    same += [torch.from_numpy(same[-1]), torch.from_numpy(same[-1][5:])]
    after = leakgraph.tensors(limit=None)
    assert after.storages == before.storages + 1
    assert after.size["host"] == before.size["host"] + 8000


class Wrapper(torch.Tensor):
    """A tensor without a storage, such as a DTensor."""

    @staticmethod
    def __new__(cls, inner):
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape)

    def __init__(self, inner):
        self.inner = inner

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        return cls(args[0].inner)  # detach, which a Parameter calls


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mask, ctx.others = torch.ones(11), [torch.ones(12)]
        return x * 2


def parts():
    """The kind of a tensor is that of its parts; a ctx's attributes are activations."""
    embedding = torch.nn.Embedding(100, 13, sparse=True)
    embedding(torch.tensor([1, 2])).sum().backward()
    net = torch.nn.Module()
    net.wrapped = torch.nn.Parameter(Wrapper(torch.ones(14)), requires_grad=False)
    net.register_buffer("adjacent", torch.eye(15).to_sparse())
    scaled = Scale.apply(torch.ones(16, requires_grad=True))
    each = leakgraph.tensors(group="storage", limit=None)
    rows = {row.shape: row for row in each}
    kinds = {shape: row.kind for shape, row in rows.items()}
    assert kinds[11,] == kinds[12,] == "activation", kinds
    assert kinds[2, 13] == kinds[1, 2] == "gradient", kinds
    assert kinds[14,] == "parameter", kinds
    assert kinds[15,] == kinds[2, 15] == "buffer", kinds
    assert rows[14,].held_by.endswith("net.wrapped.inner"), rows[14,]
    del embedding, net, scaled


def sums():
    each = snapshot.tensors(group="storage", limit=None)
    for group in ("kind", "device", "dtype", "shape"):
        sums = snapshot.tensors(group=group, limit=None)
        assert sum(row.storages for row in sums) == sums.storages == each.storages
        assert sum(row.bytes for row in sums) == sum(row.bytes for row in each)
        assert sums.size == each.size == {"host": sum(row.bytes for row in each)}
        name = sums[0].dtype if group == "shape" else getattr(sums[0], group)
        assert f"storages  {group}" in str(sums) and name in str(sums)
        assert all(row.size == row.bytes and row.node is None for row in sums)
        assert sums._repr_html_().count("<tr>") == len(sums) + 1
    kind = {row.kind: row.bytes for row in snapshot.tensors(group="kind")}
    assert kind["parameter"] == sum(row.bytes for row in rows_of("parameter"))


def places():
    """What is held in the same way and is alike has one row."""
    each = snapshot.tensors(group="storage", limit=None)
    rows = snapshot.tensors(limit=None)
    assert sum(row.storages for row in rows) == each.storages
    assert sum(row.bytes for row in rows) == each.size["host"]
    (losses,) = (row for row in rows if row.held_by == "__main__.trainer.losses[*]")
    assert (losses.storages, losses.bytes, losses.shape) == (2, 8, ())
    assert {row.held_by for row in rows if row.storages == 1} < {
        row.held_by for row in each
    }
    few = str(snapshot.tensors())
    assert "more places with less than 0.1 % each: " in few
    assert " 8 B" not in few and "more groups" not in few


def forms():
    tensors = leakgraph.tensors(limit=3)
    report = json.loads(tensors.json)
    assert len(tensors) == 3 == len(report["rows"]) == len(tensors[:])
    assert tensors.storages == report["storages"] > 3
    assert tensors.size == report["size"]
    assert [(row["node"], row["bytes"], row["held_by"]) for row in report["rows"]] == [
        (row.node.index, row.bytes, row.held_by) for row in tensors
    ]
    assert all(row.held_by in str(tensors) for row in tensors)
    assert tensors._repr_html_().count("<tr>") == 4 + 1 + len(tensors.findings)
    assert [row.bytes for row in tensors] == sorted(
        (row.bytes for row in tensors), reverse=True
    )
    with tempfile.TemporaryDirectory() as folder:
        snapshot.save(f"{folder}/it.lgs")
        again = leakgraph.load(f"{folder}/it.lgs").tensors(device="host", limit=3)
        assert [row.bytes for row in again] == [row.bytes for row in tensors]
    part = leakgraph.snapshot(roots=[trainer.row]).tensors()
    assert part.size == {"host": 4_000_000}


def mistakes():
    """Below its rows, the report lists mistakes that concern them; not for groups."""
    both = snapshot.tensors(limit=None)
    assert {f.pattern for f in both.findings} == {"retained-graph", "small-view"}
    (one,) = snapshot.tensors(1, group="storage").findings
    assert one.pattern == "small-view" and one.held_by.startswith(
        "__main__.trainer.row"
    )
    assert one.retained >= 4_000_000
    text, html = str(both), both._repr_html_()
    for part in (one.cause, one.fix, "held by  __main__.trainer.losses"):
        assert text.count(part) == 1
    assert "Known mistakes" in html and one.fix in html
    groups = snapshot.tensors(group="kind")
    assert "mistakes" not in str(groups) and groups.findings == ()
    part = leakgraph.snapshot(roots=[trainer]).tensors()
    assert part.findings == () and json.loads(part.json)["findings"] is None


if __name__ == "__main__":
    for case in sys.argv[1:]:
        globals()[case]()
        print(case)
