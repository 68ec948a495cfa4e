"""leakgraph on a real GPU: what it says is what the allocator and the driver say.

Run by `make gpu` on a machine with a GPU; the rest of the tests needs none.
"""

import gc
import os
import threading
import warnings

import pytest
import torch
from torch import nn

import leakgraph
import leakgraph.samples

DEVICE = "cuda"
MIB = 2**20


def network():
    layers = (nn.Linear(512, 2048), nn.ReLU(), nn.Linear(2048, 10))
    return nn.Sequential(*layers).to(DEVICE)


def batch(rows=256):
    return torch.randn(rows, 512, device=DEVICE)


def record(stacks="python"):
    torch.cuda.memory._record_memory_history(
        "state", context="state", stacks=stacks, max_entries=100
    )


def losses(model, count=5):
    return [model(batch()).sum() for _ in range(count)]


def trained(model):
    optimizer = torch.optim.AdamW(model.parameters())
    model(batch()).sum().backward()
    optimizer.step()
    return optimizer


def test_the_account_is_the_allocators(account):
    model = network()
    held = losses(model)
    taken = account()
    assert taken.at.allocated == torch.cuda.memory_allocated()
    assert taken.at.reserved == torch.cuda.memory_reserved()
    assert taken.at.residual == 0 and taken.at.outside == taken.at.stale == 0
    assert taken.at.peak_allocated == torch.cuda.max_memory_allocated()
    assert taken.at.attributed >= 5 * 256 * 2048 * 4
    del held


def test_kinds(account):
    model = network()
    optimizer = trained(model)
    parameters = sum(p.untyped_storage().nbytes() for p in model.parameters())
    kinds = account().at.by_kind
    for kind, times in {"parameter": 1, "gradient": 1, "optimizer state": 2}.items():
        assert 0 <= kinds[kind] - times * parameters < 8 * 512
    del optimizer


def test_what_the_driver_counts(python):
    out = python("""
import pynvml, torch, leakgraph
pynvml.nvmlInit()
x = torch.zeros(2**26, dtype=torch.uint8, device="cuda")
(at,) = leakgraph.memory().devices
print(at.process > at.reserved >= 2**26, at.beyond > 0)
""")
    assert out == ["True True"]


def test_pinned_memory():
    held = torch.empty(10 * MIB, dtype=torch.uint8, pin_memory=True)
    with leakgraph.snapshot() as snap:
        host = snap.memory().host
        assert host["pinned"] >= held.untyped_storage().nbytes()
        assert host["pinned_used"] >= host["pinned"]
        assert "cuda" not in str(snap.why(held).retained)


def exception_of_a_step():
    def step():
        big = torch.empty(64 * MIB, dtype=torch.uint8, device=DEVICE)
        return torch.empty(2**42 + big.numel(), dtype=torch.uint8, device=DEVICE)

    try:
        step()
    except torch.OutOfMemoryError as error:
        return [error]


HOLDERS = {
    "losses": lambda: losses(network()),
    "a model": lambda: [network()],
    "optimizer state": lambda: [trained(network())],
    "views": lambda: [
        torch.zeros(MIB, device=DEVICE)[1:2],
        torch.zeros(9, device=DEVICE),
    ],
    "the real part": lambda: [torch.zeros(MIB, dtype=torch.cfloat, device=DEVICE).real],
    "an exception": exception_of_a_step,
    "sparse": lambda: [torch.eye(999, device=DEVICE).to_sparse()],
}


@pytest.mark.parametrize("name", HOLDERS)
def test_retained_is_what_goes(name):
    """Up to the allocator's steps of 512 bytes for each storage."""
    torch.ones(1, device=DEVICE) @ torch.ones(1, device=DEVICE)
    network()(batch()).sum().backward()
    gc.collect()
    empty = torch.cuda.memory_allocated()
    held = HOLDERS[name]()
    with leakgraph.snapshot() as snap:
        retained = snap.why(held).retained["cuda:0"]
        storages = snap.tensors(device="cuda:0").storages
    before = torch.cuda.memory_allocated()
    held.clear()
    gc.collect()
    freed = before - torch.cuda.memory_allocated()
    assert torch.cuda.memory_allocated() - empty < 512 * 8
    assert 0 <= freed - retained <= 512 * storages
    assert retained > 0


def test_a_cut_frees_on_the_device():
    holder = {"history": losses(network())}
    target = holder["history"][2]
    with leakgraph.snapshot() as snap:
        why = snap.why(target)
        assert "loss-history" in str(why)
        retained = why.retained["cuda:0"]
    before = torch.cuda.memory_allocated()
    del target, why
    del holder["history"][2]
    gc.collect()
    assert 0 <= before - torch.cuda.memory_allocated() - retained <= 512 * 8


def test_the_workspace_of_cublas(account):
    record("all")
    held = losses(network(), 1)
    at = account().at
    assert at.by_evidence["cuBLAS workspace"]["bytes"] >= 8 * MIB
    assert at.by_evidence["cuBLAS workspace"]["bytes"] == at.unattributed
    del held


def test_the_workspace_by_its_size(account):
    held = losses(network(), 1)
    evidence = account().at.by_evidence
    assert evidence["probably cuBLAS workspace"]["bytes"] > 0
    del held


def test_the_cache_of_autocast(account):
    record("all")
    model = network()
    with torch.autocast(DEVICE, dtype=torch.float16), torch.no_grad():
        model(batch())
        cached = account().at.by_evidence["autocast cache"]
    weights = sum(2 * p.numel() for p in model.parameters())
    assert cached["blocks"] == 4 and 0 <= cached["bytes"] - weights < 512 * 4


def test_a_private_pool(account):
    model, x = network(), batch()
    side = torch.cuda.Stream()
    with torch.cuda.stream(side), torch.no_grad():
        model(x)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph), torch.no_grad():
        y = model(x)
    assert account().at.by_evidence["private pool"]["bytes"] > 0
    del y


def test_buckets_of_ddp(python):
    """The reducer has them, and leakgraph sees that."""
    out = python(
        """
import torch, leakgraph
from torch import nn
torch.cuda.memory._record_memory_history("state", context="state", stacks="all")
torch.distributed.init_process_group("nccl")
model = nn.parallel.DistributedDataParallel(nn.Linear(2048, 512).cuda(), device_ids=[0])
model(torch.randn(8, 2048, device="cuda")).sum().backward()
torch.cuda.synchronize()
snap = leakgraph.snapshot()
(at,) = snap.memory().devices
rows = snap.tensors(group="storage", limit=None)
print(sorted(row.held_by for row in rows if row.kind == "gradient"))
torch.distributed.destroy_process_group()
""",
        MASTER_ADDR="127.0.0.1",
        MASTER_PORT="29512",
        RANK="0",
        WORLD_SIZE="1",
    )
    gradients = ["module.bias.grad", "module.weight.grad", "reducer C++ member"]
    assert out == [str([f"__main__.model.{name}" for name in gradients])]


def test_stacks_name_the_program(account):
    """Frames begin with a function that says something, machinery is left out."""
    record("all")
    held = losses(network(), 1)
    text = str(account().snap.memory())
    lines = text.partition("innermost first\n")[2].splitlines()
    assert any("losses (test_gpu.py" in line or "losses (" in line for line in lines)
    assert "unwind" not in text and "CUDACachingAllocator" not in text
    del held


def test_where_a_tensor_was_allocated():
    record()
    held = torch.zeros(MIB, device=DEVICE)
    with leakgraph.snapshot() as snap:
        assert "test_where_a_tensor_was_allocated (" in snap.why(held).allocated


HELD = """
import torch, leakgraph
held = [torch.zeros(2**20, device="cuda") for _ in range(4)]
snap = leakgraph.snapshot()
(at,) = snap.memory().devices
"""


def test_expandable_segments(python):
    out = python(
        HELD + "print(at.allocated, at.attributed, at.residual, at.outside)",
        PYTORCH_CUDA_ALLOC_CONF="expandable_segments:True",
    )
    assert out == [f"{16 * MIB} {16 * MIB} 0 0"]


def test_the_asynchronous_allocator(python):
    out = python(
        HELD
        + """
print(at.allocated == torch.cuda.memory_allocated(), at.outside, at.residual)
unlisted = at.by_evidence["not listed"]
print(unlisted == {"bytes": at.unattributed, "blocks": 0})
print(snap.why(held).retained["cuda:0"])
""",
        PYTORCH_CUDA_ALLOC_CONF="backend:cudaMallocAsync",
    )
    assert out == [f"True {16 * MIB} 0", "True", str(16 * MIB)]


def test_a_recorded_snapshot_gives_the_same(tmp_path):
    held = losses(network())
    torch.cuda.synchronize()
    snap = leakgraph.snapshot()
    torch.cuda.memory._dump_snapshot(str(tmp_path / "gpu.pickle"))
    (live,), (later,) = (
        snap.memory(),
        leakgraph.cuda.attribute(tmp_path / "gpu.pickle", snap),
    )
    for name in ("reserved", "allocated", "attributed", "by_kind", "by_evidence"):
        assert getattr(live, name) == getattr(later, name)
    del held


@pytest.mark.parametrize(
    "code",
    [
        "import cupy; a = cupy.zeros(2**20, dtype='f4'); held = a[5:]; del a",
        "import jax.numpy as np; held = np.ones(2**20, 'f4').block_until_ready()",
        "import numpy, numba.cuda as c; held = c.to_device(numpy.zeros(2**20, 'f4'))",
    ],
    ids=["cupy", "jax", "numba"],
)
def test_arrays(python, code):
    out = python(
        f"{code}\nimport leakgraph, sys\nsnap = leakgraph.snapshot()\n"
        "print(snap.why(sys.modules['__main__']).retained['cuda:0'])",
        XLA_PYTHON_CLIENT_PREALLOCATE="false",
    )
    assert out == [str(4 * MIB)]


def test_captures_during_backward_passes(account):
    model = network()
    done = threading.Event()

    def work():
        with torch.cuda.stream(torch.cuda.Stream()):
            while not done.is_set():
                model(batch()).sum().backward()

    threads = [threading.Thread(target=work) for _ in range(4)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for thread in threads:
            thread.start()
        try:
            for _ in range(10):
                account().snap.close()
        finally:
            done.set()
            for thread in threads:
                thread.join()


def test_a_forked_child():
    held = torch.zeros(MIB, device=DEVICE)
    child = os.fork()
    if child == 0:
        info = leakgraph.snapshot().info()
        os._exit("cannot be used in a process forked" not in info["adapter.cuda"])
    assert os.waitpid(child, 0)[1] == 0
    assert held.sum().item() == 0


def test_a_capture_leaves_nothing_behind():
    held = torch.zeros(MIB, device=DEVICE)
    leakgraph.snapshot().close()
    gc.collect()
    leakgraph.snapshot().close()
    leakgraph.samples.read()
    assert gc.collect() == 0
    del held


def test_growth_on_the_device():
    model, history, snaps = network(), [], []
    history += losses(model, 3)
    for _ in range(3):
        before = torch.cuda.memory_allocated()
        history += losses(model, 10)
        gained = torch.cuda.memory_allocated() - before
        snaps.append(leakgraph.snapshot())
    row = leakgraph.diff(*snaps)[0]
    assert row.verdict == "accumulates" and "local history[*]" in row.held_by
    series = [size["cuda:0"] for size in row.bytes]
    assert 0 <= gained - (series[2] - series[1]) <= 512 * 50


def test_a_watched_loop(python):
    out = python("""
import time, warnings, torch, leakgraph
from torch import nn
model = nn.Linear(512, 512).cuda()
history = []
warnings.simplefilter("ignore")
watch = leakgraph.watch(budget=0.3)
end = time.monotonic() + 120
while not watch.leaks and time.monotonic() < end:
    history.append(model(torch.randn(64, 512, device="cuda")).sum())
    time.sleep(0.005)
    watch.step()
print(watch.steps, watch.leaks)
""")
    assert "__main__.history[*]" in out[0] and "cuda:0" in out[0], out


def test_compiled_with_graphs(account):
    model = torch.compile(network(), mode="reduce-overhead")
    for _ in range(4):
        torch.compiler.cudagraph_mark_step_begin()
        with torch.no_grad():
            y = model(batch(64)).clone()
    at = account().at
    assert at.residual == 0
    assert at.by_evidence["private pool"]["bytes"] + at.private_inactive > 0
    del y
