"""Trains on several gloo processes and asks which ranks differ.

    python bench/ranks_gloo.py [--ranks 8]

torchrun starts the processes, on the CPU. All train the same model in parallel. One
keeps the samples of each step, and another its losses with their graphs. The script
fails unless the answer names these two, both from snapshots and from summaries.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import leakgraph

JOB = """
import torch
import leakgraph
torch.distributed.init_process_group("gloo")
torch.set_num_threads(1)
rank, last = torch.distributed.get_rank(), torch.distributed.get_world_size() - 1
class Trainer: pass
trainer = Trainer()
layers = [torch.nn.Linear(256, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10)]
trainer.model = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(*layers))
trainer.opt = torch.optim.Adam(trainer.model.parameters())
dataset = [str(i) * 50 for i in range(20_000)]
trainer.losses, trainer.samples = [], []
for step in range(40):
    trainer.opt.zero_grad()
    loss = trainer.model(torch.randn(32, 256)).pow(2).mean()
    loss.backward()
    trainer.opt.step()
    loss = trainer.model(torch.randn(32, 256)).pow(2).mean()
    trainer.losses.append(loss if rank == 1 else loss.item())
    if rank == last:
        trainer.samples.append(torch.randn(20_000))
del loss
with leakgraph.snapshot() as whole:
    whole.save("rank-{rank}.lgs")
    whole.summary("rank-{rank}.lgsum")
torch.distributed.destroy_process_group()
"""


def run_job(folder: Path, ranks: int) -> None:
    """Train until each rank has saved its snapshot."""
    (folder / "job.py").write_text(JOB, encoding="utf-8")
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command = [*torchrun, f"--nproc_per_node={ranks}", "job.py"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)


def answer(folder: Path, ending: str, ranks: int) -> leakgraph.Ranks:
    """Ask how the ranks differ, from files with this ending."""
    paths = [folder / f"rank-{rank}.{ending}" for rank in range(ranks)]
    size = max(path.stat().st_size for path in paths)
    began = time.process_time()
    found = leakgraph.ranks(*paths)
    seconds = time.process_time() - began
    print(f"{ending}: up to {size / 1e6:.2f} MB a rank, compared in {seconds:.1f} s")
    return found


def problems(folder: Path, ranks: int) -> Iterator[str]:
    """Yield a sentence for each answer that is wrong."""
    wanted = {
        "__main__.trainer.losses": "1",
        "__main__.trainer.samples": str(ranks - 1),
    }
    for ending in ("lgs", "lgsum"):
        found = answer(folder, ending, ranks)
        told = {row.held_by: row.rank for row in found}
        if told != wanted:
            yield f"from .{ending} files, these differ: {told}, and not {wanted}"
        if "__main__.dataset" not in {row.held_by for row in found.repeated}:
            yield f"from .{ending} files, nothing is said of what all ranks have"
        if ending == "lgs":
            print(found)


def main() -> int:
    """Run the job; return 1 if the answer is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=8)
    ranks = parser.parse_args().ranks
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        run_job(Path(folder), ranks)
        print(f"{ranks} ranks trained and saved in {time.monotonic() - began:.0f} s")
        wrong = list(problems(Path(folder), ranks))
    print("\n".join(wrong) or "ranks: fine")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
