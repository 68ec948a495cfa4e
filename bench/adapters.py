"""Times a snapshot with the adapters against the same heap without them.

    python bench/adapters.py [--objects 1000000] [--nodes 20000] [--blocks 2000]

Prints a Markdown table. The heap has records (heap.py), the losses of a training loop,
each with its autograd graph, and a CUDA allocator with that many blocks: a function
that returns a recorded snapshot replaces PyTorch's own. Captures with and without
adapters (LEAKGRAPH_WITHOUT in the environment) take turns in one process. Each figure
is the median of its rounds, in seconds of the thread's own time.
"""

from __future__ import annotations

import argparse
import gc
import os
import statistics
import time
from multiprocessing import get_context
from typing import Any

import heap

import leakgraph

BLOCK = 1 << 20
BLOCKS_PER_SEGMENT = 20


def losses(nodes: int) -> list[Any]:
    """Make a loss of a small network per step, up to about so many autograd nodes."""
    import torch
    from torch import nn

    model = nn.Sequential(
        *(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 16), nn.Tanh()),
        nn.Linear(16, 1),
    )
    made: list[Any] = [model]
    x = torch.randn(4, 16)
    nodes_per_loss = 9
    for _ in range(nodes // nodes_per_loss):
        made.append(model(x).sum())
    return made


def allocator(blocks: int) -> dict[str, Any]:
    """A snapshot of so many blocks as PyTorch records it, with their frames.

    Most blocks are in use. As in PyTorch, stacks share one dict for the same frame.
    """
    frames = [
        {"filename": "train.py", "line": line, "name": f"step{line}"}
        for line in range(60)
    ]
    segments = []
    for first in range(0, blocks, BLOCKS_PER_SEGMENT):
        count = min(BLOCKS_PER_SEGMENT, blocks - first)
        address = (0x7F00_0000_0000) + first * BLOCK
        listed = [
            {
                "address": address + i * BLOCK,
                "size": BLOCK,
                "requested_size": BLOCK - 512 if i % 4 else 0,
                "state": "active_allocated" if i % 4 else "inactive",
                "frames": frames[(first + i) % 50 :][:8],
            }
            for i in range(count)
        ]
        used = sum(BLOCK for block in listed if block["requested_size"])
        segments.append(
            {
                "device": 0,
                "address": address,
                "total_size": count * BLOCK,
                "allocated_size": used,
                "active_size": used,
                "stream": 0,
                "segment_type": "large",
                "segment_pool_id": (0, 0),
                "is_expandable": False,
                "blocks": listed,
            }
        )
    return {"segments": segments, "device_traces": []}


def pretend_cuda(blocks: int) -> None:
    """Make PyTorch, which has no GPU here, behave as if CUDA were in use."""
    import torch

    recorded = allocator(blocks)
    memory: Any = torch.cuda.memory
    memory._snapshot = lambda *_: recorded
    memory.memory_snapshot = lambda *_, **__: recorded["segments"]
    memory.get_allocator_backend = lambda: "native"
    memory.memory_stats_as_nested_dict = lambda *_: {}
    memory.mem_get_info = lambda *_: (1 << 34, 1 << 35)
    torch.cuda._initialized = True
    torch.cuda._is_in_bad_fork = lambda: False
    torch.cuda.device_count = lambda: 1


def capture(without: str) -> float:
    """The seconds that the thread computes for a snapshot without these adapters."""
    os.environ["LEAKGRAPH_WITHOUT"] = without
    start = time.thread_time()
    leakgraph.snapshot().close()
    return time.thread_time() - start


def found(nodes: int, blocks: int) -> None:
    """Fail unless the adapters find the objects that this times."""
    os.environ["LEAKGRAPH_WITHOUT"] = ""
    with leakgraph.snapshot() as snapshot:
        types = snapshot.types(limit=None)
        seen = sum(row.count for row in types if "Backward0" in row.type)
        frames = "cuda:0" in str(snapshot.memory())
    if seen < 0.9 * nodes or frames != (blocks > 0):
        raise SystemExit(f"the adapters found {seen} nodes and {frames} frames")


def row(objects: int, nodes: int, blocks: int, rounds: int, shuffled: bool) -> str:
    """Make a row of the table, and one for each adapter alone."""
    gc.disable()
    kept: list[Any] = [heap.records(objects, shuffled=shuffled)]
    if nodes:
        kept.append(losses(nodes))
    if blocks:
        pretend_cuda(blocks)
    gc.collect()
    found(nodes, blocks)
    plain, whole = [], []
    for _ in range(rounds):
        plain.append(capture("all"))
        whole.append(capture(""))
    base, with_all = statistics.median(plain), statistics.median(whole)
    order = "shuffled" if shuffled else "ordered"
    return (
        f"| {objects / 1e6:.0f} M, {order} | {nodes} | {blocks} | {base * 1e3:.0f} ms "
        f"| {with_all * 1e3:.0f} ms | {with_all / base:.2f} |"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, default=1_000_000)
    parser.add_argument("--nodes", type=int, default=20_000)
    parser.add_argument("--blocks", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=15)
    asked = parser.parse_args()
    print("| objects | autograd nodes | blocks | without | with adapters | ratio |")
    print("| --- | --- | --- | --- | --- | --- |")
    for shuffled in (False, True):
        for nodes, blocks in ((asked.nodes, 0), (asked.nodes, asked.blocks)):
            arguments = (asked.objects, nodes, blocks, asked.rounds, shuffled)
            with get_context("spawn").Pool(1) as pool:
                print(pool.apply(row, arguments), flush=True)


if __name__ == "__main__":
    main()
