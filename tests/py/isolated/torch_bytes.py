"""Compares what a holder retains with what malloc gets back from clearing it.

It runs with PYTHONMALLOC=malloc and without malloc's thread cache, so that every byte
comes from malloc and freed bytes count as free: python torch_bytes.py NAME.
"""

import gc
import os
import sys
import warnings
from pathlib import Path

import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).parents[1]))

from malloced import in_use

import leakgraph

warnings.simplefilter("ignore")


class Trainer:
    """What a training loop keeps."""

    def __init__(self):
        self.losses = []
        self.other = []


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, left, right):
        ctx.save_for_backward(left, right)
        return left * right

    @staticmethod
    def backward(ctx, gradient):
        left, right = ctx.saved_tensors
        return gradient * right, gradient * left


class Sine(nn.Module):
    """Saves only its input: an output leaks if a hook keeps it unchanged."""

    def forward(self, x):
        return x.sin()


def mlp(trainer):
    trainer.model = nn.Sequential(
        nn.Linear(512, 1024), nn.ReLU(), nn.Linear(1024, 512), nn.LayerNorm(512)
    )
    trainer.x = torch.randn(128, 512)
    yield lambda: trainer.losses.append(trainer.model(trainer.x).sum())


def cnn(trainer):
    trainer.model = nn.Sequential(
        nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2)
    )
    trainer.x = torch.randn(8, 3, 64, 64)
    yield lambda: trainer.losses.append(trainer.model(trainer.x).mean())


def transformer(trainer):
    trainer.model = nn.TransformerEncoderLayer(64, 4, 256, batch_first=True)
    trainer.x = torch.randn(8, 64, 64)
    yield lambda: trainer.losses.append(trainer.model(trainer.x).sum())


def rnn(trainer):
    """Most bytes are nodes: tensors are a small part of the freed bytes."""
    trainer.model = nn.RNNCell(8, 8)
    trainer.x = torch.randn(4, 8)

    def step():
        state = torch.zeros(4, 8)
        for _ in range(40):
            state = trainer.model(trainer.x, state)
        trainer.losses.append(state.sum())

    yield step


def running_loss(trainer):
    """total += loss makes a chain of nodes with almost no tensors."""
    trainer.x = torch.ones(1, requires_grad=True)

    def step():
        total = torch.zeros(())
        for _ in range(300):
            total = total + (trainer.x * 2).sum()
        trainer.losses.append(total)

    yield step


def shared(trainer):
    """Half of each graph also belongs to the other holder."""
    trainer.model = nn.Sequential(nn.Linear(256, 512), nn.Tanh())
    trainer.head = nn.Linear(512, 512)
    trainer.x = torch.randn(64, 256)

    def step():
        common = trainer.model(trainer.x)
        trainer.losses.append(trainer.head(common).exp().sum())
        trainer.other.append(common.sin().sum())

    yield step


def checkpointed(trainer):
    from torch.utils.checkpoint import checkpoint

    trainer.model = nn.Sequential(nn.Linear(256, 256), nn.Tanh(), nn.Linear(256, 256))
    trainer.x = torch.randn(64, 256)

    def step():
        hidden = trainer.x * torch.ones(64, 256, requires_grad=True)
        hidden = checkpoint(trainer.model, hidden, use_reentrant=False)
        trainer.losses.append(hidden.sum())

    yield step


def on_cpu(trainer):
    trainer.model = nn.Sequential(nn.Linear(256, 512), Sine(), nn.Linear(512, 64))
    trainer.x = torch.randn(64, 256)

    def step():
        with torch.autograd.graph.save_on_cpu():
            trainer.losses.append(trainer.model(trainer.x).sum())

    yield step


def functions(trainer):
    trainer.x = torch.randn(64, 256, requires_grad=True)

    def step():
        y = Product.apply(trainer.x, trainer.x.exp())
        trainer.losses.append(Product.apply(y, y.tanh()).sum())

    yield step


def hooked(trainer):
    """Activations that hooks keep, and gradients."""
    trainer.model = nn.Sequential(nn.Linear(256, 512), nn.Tanh(), nn.Linear(512, 64))
    trainer.x = torch.randn(64, 256)
    keep = trainer.losses
    trainer.model[1].register_forward_hook(lambda m, i, o: keep.append(o))
    yield lambda: trainer.model(trainer.x).sum()


def views(trainer):
    """Each view keeps a hundred times what it shows."""
    yield lambda: trainer.losses.append(torch.randn(100, 256)[3])


def inverted_views(trainer):
    """The base and the tensors between belong to the functions that undo a view."""
    number = torch.complex64

    def step():
        trainer.losses += [
            torch.view_as_real(torch.randn(5000, dtype=number)),
            torch.view_as_complex(torch.randn(5000, 2)),
            torch.randn(5000, dtype=number).real,
            torch.randn(5000, dtype=number, requires_grad=True).imag,
            torch.randn(5000, dtype=number).conj(),
            torch.randn(5000, dtype=number).conj().imag,
            torch.randn(50, 100, dtype=number).conj().T[3:4].real,
            torch._neg_view(torch.randn(5000)),
        ]

    yield step


def jagged_tensors(trainer):
    if not hasattr(torch, "jagged"):
        print("jagged_tensors skipped: this PyTorch has none")
        sys.exit()

    def nested(**options):
        parts = [torch.randn(1000, 3), torch.randn(2000, 3)]
        return torch.nested.nested_tensor(parts, **options)

    def step():
        length = torch.full((10,), 90)
        wide = torch.randn(10, 200, 8)
        trainer.losses += [
            nested(),
            nested().values(),
            nested().unbind()[1],
            nested(layout=torch.jagged),
            nested(layout=torch.jagged).values(),
            nested(layout=torch.jagged, requires_grad=True) * 2,
            torch.nested.narrow(wide, 1, length * 0, length, layout=torch.jagged),
        ]

    yield step


def other_layouts(trainer):
    """The parts of sparse, quantized and oneDNN's tensors."""

    def step():
        number = torch.randn(100, 1000)
        trainer.losses += [
            torch.eye(500).to_sparse(),
            torch.eye(500).to_sparse_csr(),
            torch.quantize_per_tensor(number, 0.1, 0, torch.qint8),
        ]
        if torch.backends.mkldnn.is_available():
            trainer.losses.append(number.to_mkldnn())

    yield step


def packed(trainer):
    """Weights in C++, behind objects of TorchScript, for every available engine."""
    import torch.ao.nn.quantized as quantized
    from torch.ao.quantization import quantize_dynamic

    engines = set(torch.backends.quantized.supported_engines) - {"none"}
    if not engines:
        print("packed skipped: this build cannot pack weights")
        sys.exit()

    def step():
        for torch.backends.quantized.engine in sorted(engines):
            model = nn.Sequential(nn.LSTM(64, 80), nn.Linear(300, 200))
            dynamic = quantize_dynamic(model, {nn.LSTM, nn.Linear})
            dynamic[1](torch.randn(2, 300))
            trainer.losses += [
                dynamic,
                quantized.Linear(300, 300),
                quantized.Conv2d(32, 64, 3),
                quantized.Conv2d(64, 64, 3, padding=1, groups=64),
                quantized.Embedding(1000, 64),
            ]

    yield step


def compiled(trainer):
    trainer.model = nn.Sequential(nn.Linear(256, 512), nn.Tanh(), nn.Linear(512, 256))
    trainer.compiled = torch.compile(trainer.model, backend="aot_eager")
    trainer.x = torch.randn(64, 256)
    yield lambda: trainer.losses.append(trainer.compiled(trainer.x).sum())


def distributed(trainer):
    """DDP on gloo: this process and its fork."""
    import torch.distributed as dist

    if not dist.is_available() or not dist.is_gloo_available():
        print("distributed skipped: this PyTorch has no gloo")
        sys.exit()
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    other = os.fork()
    rank = 0 if other else 1
    store = f"file://{Path.cwd() / 'store'}"
    dist.init_process_group("gloo", store, rank=rank, world_size=2)
    trainer.model = nn.parallel.DistributedDataParallel(
        nn.Sequential(nn.Linear(256, 512), nn.Tanh(), nn.Linear(512, 256))
    )
    trainer.x = torch.randn(64, 256)

    def step():
        trainer.losses.append(trainer.model(trainer.x).sum())
        trainer.model(trainer.x).sum().backward()
        dist.barrier()

    yield step
    dist.destroy_process_group()
    if rank == 0:
        assert os.waitpid(other, 0) == (other, 0)


def retained_storages(node):
    """Count the bytes of tensors among all that a node retains."""
    storages, pending = 0, [node]
    while pending:
        for each in pending.pop().dominated:
            storages += each.size * (each.type_name == "torch.storage")
            pending.append(each)
    return storages


def measure(holder):
    """Return what clearing a list should free, what it does, the bytes of tensors in
    it, and what is said of PyTorch.
    """
    gc.collect()
    leakgraph.snapshot().close()
    gc.collect()
    snapshot = leakgraph.snapshot()
    node = snapshot.find(holder)
    promised, storages = node.retained.host - node.size, retained_storages(node)
    note = snapshot.info()["adapter.torch"]
    snapshot.close()
    del snapshot, node
    gc.collect()
    before = in_use()
    holder.clear()
    gc.collect()
    return promised, before - in_use(), storages, note


def main(name):
    gc.freeze()  # collections leave out what was imported
    torch.manual_seed(0)
    trainer = Trainer()
    case = globals()[name](trainer)
    step = next(case)
    for _ in range(3):
        step()
    trainer.losses.clear()
    trainer.other.clear()
    for _ in range(10):
        step()
    promised, freed, storages, note = measure(trainer.losses)
    share = storages / promised
    allowed = 0.01 if share >= 0.95 else 0.05
    verdict = "right" if abs(promised / freed - 1) <= allowed else "wrong"
    print(f"{name} {verdict}: {promised} promised, {freed} freed, {share:.0%} tensors")
    print(f"PyTorch is {note}")
    assert next(case, None) is None


if __name__ == "__main__":
    main(sys.argv[1])
