"""Two common leaks, and what leakgraph says about them.

A validation loop keeps its loss tensors, because it lacks `.item()`, and a plotting
loop never closes its figures. Writes everything into the given folder, or into `out`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import torch
from torch import nn

import leakgraph


class Trainer:
    """Trains a small network to add up its inputs."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 1))
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-2)
        self.losses: list[torch.Tensor] = []

    def loss_of(self, batch: torch.Tensor) -> torch.Tensor:
        """The error on one batch."""
        wanted = batch.sum(dim=1, keepdim=True)
        return nn.functional.mse_loss(self.model(batch), wanted)

    def epoch(self) -> None:
        """Trains for ten steps, then looks at unseen data."""
        for _ in range(10):
            loss = self.loss_of(torch.randn(32, 8))
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
        # The leak: the tensor stays, and keeps its whole autograd graph.
        self.losses.append(self.loss_of(torch.randn(256, 8)))


class Report:
    """Draws the curve after each epoch."""

    def __init__(self) -> None:
        self.pages: dict[int, str] = {}

    def draw(self, epoch: int, losses: list[torch.Tensor], folder: Path) -> None:
        """Draw one page; the leak: pyplot keeps a figure until somebody closes it."""
        figure, axes = plt.subplots()
        axes.plot([loss.item() for loss in losses])
        axes.set_title(f"epoch {epoch}")
        page = folder / f"epoch-{epoch}.png"
        figure.savefig(page, dpi=40)
        self.pages[epoch] = page.name


def show(title: str, text: object) -> None:
    """Print a report by leakgraph under a heading."""
    print(f"\n# {title}\n\n{text}".rstrip())


def main(folder: Path) -> None:
    """Leak, look, and save a snapshot for the command."""
    plt.switch_backend("Agg")
    folder.mkdir(parents=True, exist_ok=True)
    trainer = Trainer()
    report = Report()
    print("Training, drawing and taking a snapshot ...", flush=True)
    for epoch in range(5):
        trainer.epoch()
        report.draw(epoch, trainer.losses, folder)
        if epoch in (1, 3):
            leakgraph.save_snapshot(folder / f"epoch-{epoch}.lgs")

    snapshot = leakgraph.snapshot()
    snapshot.save(folder / "demo.lgs")
    first_loss = trainer.losses[0]
    why = snapshot.why(first_loss)
    why.save(folder / "why.svg")
    # The snapshot has its analysis by now, so boxes show what each would free.
    snapshot.show_refs(trainer, folder / "refs.png")

    show("Known mistakes, and their fixes", snapshot.findings())
    show("What retains the most", snapshot.top(5))
    show("What keeps the first loss alive, and what to cut", why)
    figure = plt.figure(plt.get_fignums()[0])
    show("What keeps the first figure alive", snapshot.show_path(figure))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
