"""Shows how training keeps memory, and what a snapshot says: a case for each row.

    python torch_practice.py NAME

NAME is the first column of a row in docs/torch.md. A case fills `trainer`, and names
the attributes whose deletion frees what they retain. malloc serves every byte here, as
in torch_bytes.py.
"""

import gc
import os
import sys
import warnings
from collections import deque
from pathlib import Path

import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).parents[1]))

from malloced import in_use

import leakgraph

warnings.simplefilter("ignore")
KIB = 1024


class Trainer:
    pass


trainer = Trainer()
CASES = {}


def row(name):
    def add(case):
        CASES[name] = case
        return case

    return add


def skip(why):
    print(f"skipped: {why}")
    sys.exit()


def network():
    """Two weights of 64 KiB, and biases."""
    return nn.Sequential(nn.Linear(64, 256), nn.Tanh(), nn.Linear(256, 64))


def steps(model, optimizer=None, count=2):
    for _ in range(count):
        model(torch.randn(16, 64)).sum().backward()
        if optimizer is not None:
            optimizer.step()


class Seen:
    """Take a snapshot; list its storages by holder without the name of the trainer."""

    def __init__(self):
        gc.collect()
        self.snapshot = leakgraph.snapshot()
        seen = self.snapshot.info()["adapter.torch"]
        assert seen == f"inspected: {torch.__version__}"
        self.rows = {
            row.held_by.replace("__main__.trainer.", ""): row
            for row in self.snapshot.tensors(group="storage", limit=None)
        }

    def kind(self, kind):
        return {name for name, row in self.rows.items() if row.kind == kind}

    def is_a(self, kind, *names, size=None):
        for name in names:
            assert name in self.rows, (name, *self.rows)
            row = self.rows[name]
            assert row.kind == kind, (name, row)
            assert size is None or row.bytes == size, (name, row)

    def finds(self, name, holder):
        node = self.snapshot.find(holder)
        found = {(each.pattern, each.holder) for each in self.snapshot.findings()}
        assert (name, node) in found, (found, self.snapshot.info()["adapter.torch"])

    def frees(self, *names):
        """Deleting attributes frees what they retain, within 5 %. Ends the snapshot."""
        find = self.snapshot.find
        promised = [find(getattr(trainer, name)).retained.host for name in names]
        self.rows.clear()
        self.snapshot.close()
        for name, bytes_of in zip(names, promised):
            gc.collect()
            before = in_use()
            delattr(trainer, name)
            gc.collect()
            freed = before - in_use()
            assert abs(bytes_of / freed - 1) <= 0.05, (name, bytes_of, freed)


def join(size):
    """Make this process rank 0 of a job on gloo, and its forks the other ranks."""
    import torch.distributed as dist

    if not dist.is_available() or not dist.is_gloo_available():
        skip("this PyTorch has no gloo")
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    rank = 0
    for other in range(1, size):
        if rank == 0 and os.fork() == 0:
            rank = other
    store = f"file://{Path.cwd() / 'store'}"
    dist.init_process_group("gloo", store, rank=rank, world_size=size)
    return rank


def meet(rank):
    """Wait for each other; only rank 0 goes on."""
    torch.distributed.barrier()
    if rank > 0:
        torch.distributed.barrier()
        os._exit(0)


def part(rank):
    """Let the others go, after rank 0 has looked."""
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()
    os.wait()


@row("`DistributedDataParallel`")
def ddp():
    join(1)
    wrap = nn.parallel.DistributedDataParallel
    trainer.model = wrap(network())
    trainer.views = wrap(network(), gradient_as_bucket_view=True)
    for model in (trainer.model, trainer.views):
        steps(model)
    del model
    seen = Seen()
    every = sum(p.numel() * 4 for p in trainer.model.parameters())
    seen.is_a("gradient", "model.reducer C++ member", size=every)
    seen.is_a("gradient", "model.module[0].weight.grad", size=64 * KIB)
    seen.is_a("gradient", "views.reducer C++ member", size=every)
    assert not any(name.startswith("views.module") for name in seen.kind("gradient"))
    seen.frees("model", "views")
    torch.distributed.destroy_process_group()


@row("`FullyShardedDataParallel`")
def fsdp():
    from torch.distributed.fsdp import FullyShardedDataParallel

    rank = join(2)
    trainer.model = FullyShardedDataParallel(network(), device_id=torch.device("cpu"))
    trainer.optimizer = torch.optim.Adam(trainer.model.parameters())
    steps(trainer.model, trainer.optimizer)
    half = sum(p.numel() * 4 for p in trainer.model.parameters())
    meet(rank)
    seen = Seen()
    flat = "_fsdp_wrapped_module._flat_param"
    seen.is_a("parameter", f"model.{flat}", size=half)
    seen.is_a("gradient", f"model.{flat}.grad", size=half)
    for moment in ("exp_avg", "exp_avg_sq"):
        name = f"optimizer.state[{flat}]['{moment}']"
        seen.is_a("optimizer state", name, size=half)
    assert 2 * half <= 132 * KIB
    part(rank)


@row("`fully_shard`")
def fully_shard():
    try:
        from torch.distributed.fsdp import fully_shard as shard
    except ImportError:
        skip("this PyTorch has no fully_shard")
    from torch.distributed.device_mesh import init_device_mesh

    rank = join(2)
    trainer.model = network()
    shard(trainer.model, mesh=init_device_mesh("cpu", (2,)))
    trainer.optimizer = torch.optim.Adam(trainer.model.parameters())
    steps(trainer.model, trainer.optimizer)
    meet(rank)
    seen = Seen()
    local = [f"model[{i}].weight._local_tensor" for i in (0, 2)]
    seen.is_a("parameter", *local, size=32 * KIB)
    seen.is_a("gradient", "model[0].weight.grad._local_tensor")
    state = "optimizer.state[0.weight]['exp_avg']._local_tensor"
    seen.is_a("optimizer state", state, size=32 * KIB)
    part(rank)


@row("`torch.compile`")
def compiled():
    trainer.model = network()
    trainer.compiled = torch.compile(trainer.model, backend="aot_eager")
    trainer.losses = [trainer.compiled(torch.randn(16, 64)).sum() for _ in range(3)]
    seen = Seen()
    saved = {name for name in seen.kind("activation") if ".saved_tensors[" in name}
    assert len(saved) >= 6 and all(name.startswith("losses[") for name in saved)
    seen.finds("loss-history", trainer.losses)
    assert seen.snapshot.select("type:torch.fx.graph_module.GraphModule+")
    seen.frees("losses")


@row("`checkpoint`")
def checkpointed():
    from torch.utils.checkpoint import checkpoint

    trainer.model = network()
    for name, reentrant in (("again", True), ("hooks", False)):
        setattr(trainer, name, losses := [])
        for _ in range(3):
            x = torch.randn(16, 64).requires_grad_() * 2
            losses.append(checkpoint(trainer.model, x, use_reentrant=reentrant).sum())
    del x, losses
    seen = Seen()
    for holder in ("again", "hooks"):
        kept = {name for name in seen.kind("activation") if name.startswith(holder)}
        inputs = [name for name in kept if seen.rows[name].bytes == 16 * 64 * 4]
        assert len(inputs) == 3, kept
        assert not any(seen.rows[name].bytes == 16 * 256 * 4 for name in kept)
        seen.finds("loss-history", getattr(trainer, holder))
    seen.frees("again", "hooks")


@row("selective checkpointing")
def selective():
    from functools import partial

    from torch.utils import checkpoint as of

    if not hasattr(of, "create_selective_checkpoint_contexts"):
        skip("this PyTorch has no selective checkpointing")
    kept = of.create_selective_checkpoint_contexts
    contexts = partial(kept, [torch.ops.aten.addmm.default])
    trainer.model = network()
    trainer.losses = []
    for _ in range(3):
        x = torch.randn(16, 64).requires_grad_() * 2
        y = of.checkpoint(trainer.model, x, use_reentrant=False, context_fn=contexts)
        trainer.losses.append(y.sum())
    del x, y
    seen = Seen()
    saved = [n for n in seen.kind("activation") if ".storage[" in n]
    assert sorted(seen.rows[n].bytes for n in saved) == [4 * KIB] * 3 + [16 * KIB] * 3
    seen.frees("losses")


@row("`torch.func`")
def functional():
    from torch import func

    if not hasattr(func, "vjp"):
        skip("this PyTorch has no torch.func")
    models = [nn.Linear(64, 64) for _ in range(4)]
    trainer.stacked, _ = func.stack_module_state(models)
    weight = torch.randn(128, 128)
    _, trainer.pullback = func.vjp(lambda w: (w.sin() @ w).cos(), weight)
    del weight, models, _
    held, inside = [], []

    def loss(x):
        held.append(x)
        func.vmap(lambda row: (held.append(row), inside.append(Seen()), row)[2])(x)
        return x.sum()

    func.grad(loss)(torch.randn(32, 64))
    names = {n for n, row in inside[0].rows.items() if row.bytes == 32 * 64 * 4}
    assert len(names) == 1 and names.pop().endswith(".value")
    held.clear()
    inside.clear()
    seen = Seen()
    seen.is_a("other", "stacked['weight']", size=64 * KIB)
    names = seen.kind("activation")
    assert names and all(name.startswith("pullback closure ") for name in names), names
    seen.frees("stacked", "pullback")


@row("nested tensors")
def nested():
    if not hasattr(torch, "jagged"):
        skip("this PyTorch has no jagged tensors")
    parts = [torch.randn(800, 64), torch.randn(224, 64)]
    trainer.jagged = torch.nested.nested_tensor(parts, layout=torch.jagged)
    trainer.strided = torch.nested.nested_tensor(parts)
    del parts
    seen = Seen()
    seen.is_a("other", "jagged._base", "strided", size=256 * KIB)
    seen.frees("jagged", "strided")


@row("sparse tensors")
def sparse():
    dense = torch.eye(2000)
    trainer.coo, trainer.csr = dense.to_sparse(), dense.to_sparse_csr()
    del dense
    seen = Seen()
    seen.is_a("other", "coo._indices", size=2000 * 16)
    seen.is_a("other", "coo._values", "csr.values", size=2000 * 4)
    seen.is_a("other", "csr.crow_indices", size=2001 * 8)
    seen.frees("coo", "csr")


@row("quantized weights")
def quantized():
    from torch.ao.quantization import quantize_dynamic

    if torch.backends.quantized.engine == "none":
        skip("this PyTorch has no engine for quantized weights")
    model = nn.Sequential(nn.Linear(256, 512))
    trainer.model = quantize_dynamic(model, {nn.Linear}, dtype=torch.qint8)
    weight, number = torch.randn(256, 64), torch.zeros(256)
    trainer.tensor = torch.quantize_per_channel(
        weight, number + 1, number, 0, torch.qint8
    )
    del weight, number, model
    seen = Seen()
    packed = {n for n in seen.kind("parameter") if "._packed_params C++ member" in n}
    assert sum(seen.rows[n].bytes for n in packed) >= 128 * KIB
    seen.is_a("other", "tensor", size=16 * KIB)
    seen.is_a("other", "tensor.q_per_channel_scales")


@row("TorchScript")
def scripted():
    trainer.script = torch.jit.script(nn.Linear(64, 256))
    trainer.traced = torch.jit.trace(nn.Linear(64, 256), torch.randn(2, 64))
    trainer.optimizer = torch.optim.SGD(trainer.script.parameters(), momentum=0.9)
    trainer.script(torch.randn(2, 64)).sum().backward()
    trainer.optimizer.step()
    seen = Seen()
    for name in ("script", "traced"):
        weights = {n for n in seen.kind("parameter") if n.startswith(name)}
        assert {seen.rows[n].bytes for n in weights} == {KIB, 64 * KIB}, weights
    name = "optimizer.state[weight]['momentum_buffer']"
    seen.is_a("optimizer state", name, size=64 * KIB)


@row("tensors in shared memory")
def shared():
    from torch import multiprocessing

    strategy = multiprocessing.get_sharing_strategy()
    multiprocessing.set_sharing_strategy("file_descriptor")
    trainer.shared = torch.zeros(64, 256).share_memory_()
    multiprocessing.set_sharing_strategy(strategy)
    row = Seen().rows["shared"]
    assert row.bytes == 64 * KIB and row.node.facts["memory"] == "mapped"
    name, _, number = row.node.facts["file"].partition(", descriptor ")
    assert os.readlink(f"/proc/self/fd/{number}") == name
    assert name.startswith("/dev/shm/torch_")


class Cache:
    """generate() keeps the keys and values of earlier tokens by layer."""

    def __init__(self, layers):
        self.keys = [torch.zeros(1, 4, 0, 16) for _ in range(layers)]
        self.values = [torch.zeros(1, 4, 0, 16) for _ in range(layers)]

    def update(self, key, value, layer):
        self.keys[layer] = torch.cat([self.keys[layer], key], dim=-2)
        self.values[layer] = torch.cat([self.values[layer], value], dim=-2)


@torch.no_grad()
def generate(cache, tokens):
    for _ in range(tokens):
        for layer in range(2):
            cache.update(torch.randn(1, 4, 1, 16), torch.randn(1, 4, 1, 16), layer)


@row("the cache of `generate()`")
def cached():
    trainer.session = Cache(2)
    snapshots = []
    for _ in range(2):
        generate(trainer.session, 600)
        snapshots.append(Seen().snapshot)
    growth = snapshots[0].diff(snapshots[1], min_bytes=64 * KIB)
    assert {row.held_by for row in growth} >= {
        "__main__.trainer.session.keys[*]",
        "__main__.trainer.session.values[*]",
    }, growth
    snapshots[0].close()
    seen = Seen()
    names = [f"session.{name}[{i}]" for name in ("keys", "values") for i in range(2)]
    seen.is_a("other", *names, size=1200 * 4 * 16 * 4)
    seen.frees("session")


@row("a replay buffer")
def replay():
    policy = nn.Linear(64, 4)
    trainer.replay = deque(maxlen=100)
    state = torch.randn(64)
    for _ in range(150):
        value, action = policy(state).max(0)
        following = torch.randn(64)
        trainer.replay.append((state, action, value, following))
        state = following
    del state, value, action, following, policy
    seen = Seen()
    seen.finds("loss-history", trainer.replay)
    states = [n for n, row in seen.rows.items() if row.bytes == 64 * 4]
    assert len(states) == 101 and "replay[0][0]" in states, states
    seen.frees("replay")


@row("optimizers with `foreach` and `fused`")
def optimizers():
    trainer.model = network()
    weights = list(trainer.model.parameters())
    trainer.many = torch.optim.AdamW(weights[:2], foreach=True, amsgrad=True)
    trainer.one = torch.optim.Adam(weights[2:], fused=True)
    loose = torch.randn(64, 64).requires_grad_()
    trainer.loose = torch.optim.SGD([loose], lr=0.1)
    steps(trainer.model, trainer.many)
    trainer.one.step()
    del weights, loose
    seen = Seen()
    for name in ("exp_avg", "exp_avg_sq", "max_exp_avg_sq"):
        seen.is_a("optimizer state", f"many.state[0.weight]['{name}']", size=64 * KIB)
    seen.is_a("optimizer state", "one.state[2.weight]['exp_avg']", size=64 * KIB)
    seen.is_a("parameter", "loose.param_groups[0]['params'][0]", size=16 * KIB)
    seen.frees("many", "loose")


@row("`GradScaler`")
def scaled():
    if not hasattr(torch.amp, "GradScaler"):
        skip("this PyTorch has no GradScaler on the CPU")
    trainer.model = network()
    trainer.optimizer = torch.optim.SGD(trainer.model.parameters(), lr=0.1)
    trainer.scaler = torch.amp.GradScaler("cpu")
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = trainer.model(torch.randn(16, 64)).sum()
    trainer.scaler.scale(loss).backward()
    trainer.scaler.unscale_(trainer.optimizer)
    del loss
    seen = Seen()
    seen.is_a("other", "scaler._scale", "scaler._growth_tracker", size=4)
    found = {n for n in seen.rows if n.startswith("scaler._per_optimizer_states")}
    assert len(found) == 1 and "['found_inf_per_device']" in found.pop()


@row("averaged weights")
def averaged():
    from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

    trainer.model = network()
    trainer.average = AveragedModel(
        trainer.model, multi_avg_fn=get_ema_multi_avg_fn(0.99)
    )
    steps(trainer.model)
    trainer.average.update_parameters(trainer.model)
    seen = Seen()
    seen.is_a("parameter", "model[0].weight", size=64 * KIB)
    seen.is_a("parameter", "average.module[0].weight", size=64 * KIB)
    seen.is_a("buffer", "average.n_averaged", size=8)
    assert not any(n.startswith("average") for n in seen.kind("gradient"))
    seen.frees("average")


@row("Lightning")
def lightning():
    try:
        from lightning import pytorch
    except ImportError:
        skip("lightning is not installed")

    class Model(pytorch.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = network()
            self.outputs = []

        def training_step(self, batch, index):
            self.outputs.append(self.net(batch[0]).sum())
            return self.outputs[-1]

        def configure_optimizers(self):
            return torch.optim.Adam(self.parameters())

    names = ("logger", "enable_checkpointing", "enable_progress_bar")
    options = dict.fromkeys((*names, "enable_model_summary"), False)
    fit = pytorch.Trainer(max_epochs=1, accelerator="cpu", **options)
    data = torch.utils.data.TensorDataset(torch.randn(32, 64))
    trainer.model = Model()
    fit.fit(trainer.model, torch.utils.data.DataLoader(data, 8))
    trainer.fit = fit
    del fit
    seen = Seen()
    seen.is_a("parameter", "model.net[0].weight", size=64 * KIB)
    seen.is_a("gradient", "model.net[0].weight.grad", size=64 * KIB)
    state = {n for n in seen.kind("optimizer state") if "net.0.weight" in n}
    assert len(state) == 3 and all("_optimizers[0].state" in n for n in state)
    seen.finds("loss-history", trainer.model.outputs)


@row("Hugging Face")
def hugging_face():
    try:
        import transformers
    except ImportError:
        skip("transformers is not installed")
    sizes = {"n_layer": 2, "n_head": 2, "n_embd": 64, "vocab_size": 100}
    ids = {"bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 0}
    config = transformers.GPT2Config(n_positions=64, **sizes, **ids)
    trainer.model = transformers.GPT2LMHeadModel(config)
    trainer.answer = trainer.model.generate(
        torch.ones(1, 8, dtype=torch.long),
        min_new_tokens=16,
        max_new_tokens=16,
        return_dict_in_generate=True,
    )
    seen = Seen()
    # What transformers called past_key_values is the cache since 5.24.
    key = "cache" if "cache" in trainer.answer else "past_key_values"
    layer = f"answer['{key}'].layers[1]"
    seen.is_a("other", f"{layer}.keys", f"{layer}.values", size=23 * 64 * 4)
    seen.is_a("parameter", "model.transformer.wpe.weight", size=64 * 64 * 4)


if __name__ == "__main__":
    torch.manual_seed(0)
    gc.freeze()  # repeated collections leave out what was imported
    CASES[sys.argv[1]]()
    print("right")
