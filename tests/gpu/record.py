"""Records snapshots of PyTorch's CUDA allocator: tests/gpu/record.py FOLDER.

It needs a GPU that PyTorch can use. tests/fixtures/allocator_recorded/ keeps what it
writes, so that the tests of machines without a GPU see what PyTorch really answers.
Each case runs in a process of its own. Of paths it keeps what follows the folder of
packages, of names the beginning.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable

import torch
from torch import nn

DEVICE = "cuda"
#: Characters of a function's name: templates of pybind11 have thousands.
LONGEST = 600


def recording(stacks: str) -> None:
    torch.cuda.memory._record_memory_history(
        "state", context="state", stacks=stacks, max_entries=100
    )


def network() -> nn.Module:
    torch.manual_seed(0)
    layers = (nn.Linear(512, 2048), nn.ReLU(), nn.Linear(2048, 10))
    return nn.Sequential(*layers).to(DEVICE)


def training() -> list[Any]:
    """A loop that keeps its losses, with the stacks of Python."""
    recording("python")
    model = network()
    optimizer = torch.optim.AdamW(model.parameters())
    losses = []
    for _ in range(3):
        x = torch.randn(64, 512, device=DEVICE)
        loss = nn.functional.cross_entropy(model(x), torch.zeros_like(x[:, 0]).long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return [model, optimizer, losses]


def autocast() -> list[Any]:
    """Inside of autocast, with the stacks of C++ as well."""
    recording("all")
    model = network()
    context = torch.autocast(DEVICE, dtype=torch.float16)
    context.__enter__()
    return [model, context, model(torch.randn(64, 512, device=DEVICE))]


def distributed() -> list[Any]:
    """After a backward pass of DistributedDataParallel, with the stacks of C++."""
    recording("all")
    os.environ.update(
        MASTER_ADDR="127.0.0.1", MASTER_PORT="29511", RANK="0", WORLD_SIZE="1"
    )
    torch.distributed.init_process_group("nccl")
    model = nn.parallel.DistributedDataParallel(network(), device_ids=[0])
    model(torch.randn(8, 512, device=DEVICE)).sum().backward()
    return [model]


def graph() -> list[Any]:
    """A CUDA graph with its private pool; nothing recorded where."""
    model = network()
    x = torch.randn(64, 512, device=DEVICE)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side), torch.no_grad():
        model(x)
    torch.cuda.current_stream().wait_stream(side)
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured), torch.no_grad():
        y = model(x)
    captured.replay()
    return [model, x, captured, y]


def expandable() -> list[Any]:
    """Expandable segments."""
    model = network()
    return [model, [model(torch.randn(64, 512, device=DEVICE)) for _ in range(3)]]


CASES: dict[str, Callable[[], list[Any]]] = {
    case.__name__: case for case in (training, autocast, distributed, graph, expandable)
}


def plain(path: str) -> str:
    """The path in its folder of packages, or its name."""
    _, found, rest = path.rpartition("/site-packages/")
    return rest if found else path.rpartition("/")[2]


def tidy(snapshot: dict[str, Any]) -> dict[str, Any]:
    """The segments, without history, settings and paths of this machine."""
    for segment in snapshot["segments"]:
        for part in (segment, *segment["blocks"]):
            for frame in part.get("frames", ()):
                frame["filename"] = plain(frame["filename"])
                frame["name"] = frame["name"][:LONGEST]
    return {"segments": snapshot["segments"], "device_traces": []}


def record(name: str, folder: Path) -> None:
    kept = CASES[name]()
    torch.cuda.synchronize()
    snapshot = tidy(torch.cuda.memory._snapshot())
    text = json.dumps(snapshot, separators=(",", ":"))
    (folder / f"{name}.json").write_text(text + "\n")
    del kept
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


def main() -> None:
    folder, *names = sys.argv[1:]
    if names:
        record(names[0], Path(folder))
        return
    for name in CASES:
        settings = {
            "PYTORCH_CUDA_ALLOC_CONF": f"expandable_segments:{name == 'expandable'}"
        }
        command = [sys.executable, __file__, folder, name]
        subprocess.run(command, check=True, env={**os.environ, **settings})
        print(name, (Path(folder) / f"{name}.json").stat().st_size, "bytes")


if __name__ == "__main__":
    main()
