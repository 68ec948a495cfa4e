"""Snapshots while threads train and the backward engine runs without the GIL."""

import sys
import threading
import time
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import leakgraph

SNAPSHOTS = 6
torch.set_num_threads(1)
sys.setswitchinterval(1e-3)
stop = threading.Event()
failures = []
steps = [0] * 4


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(32, 64), nn.Tanh(), nn.Linear(64, 32))
        self.cell = nn.GRUCell(32, 32)

    def forward(self, x):
        state = torch.zeros(x.shape[0], 32)
        for _ in range(6):
            state = self.cell(self.inner(x), state)
        return state.square().mean()


def train(number):
    """Run forward and backward again and again; keep every third loss for a while."""
    kept = []
    try:
        model = Network()
        optimizer = torch.optim.Adam(model.parameters())
        data = TensorDataset(torch.randn(64, 32))
        while not stop.is_set():
            for (x,) in DataLoader(data, batch_size=16, shuffle=True):
                optimizer.zero_grad()
                loss = model(x)
                loss.backward(retain_graph=steps[number] % 3 == 0)
                optimizer.step()
                if steps[number] % 3 == 0:
                    kept.append(loss)
                del kept[:-5]
                steps[number] += 1
    except BaseException as error:
        failures.append(error)


def graph_nodes(snapshot):
    return sum(
        row.count for row in snapshot.types(None) if row.type.endswith("Backward0")
    )


def main(folder):
    threads = [threading.Thread(target=train, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    while min(steps) < 3 and not failures:
        time.sleep(0.01)
    before = list(steps)
    seen = 0
    for i in range(SNAPSHOTS):
        with leakgraph.snapshot() as snapshot:
            seen += graph_nodes(snapshot) > 50
            note = snapshot.info()["adapter.torch"]
            assert note == f"inspected: {torch.__version__}", note
            if i == SNAPSHOTS - 1:
                stop.set()  # nothing below looks at the heap
                path = Path(folder) / f"{i}.lgs"
                snapshot.save(path)
                leakgraph.load(path).close()
                snapshot.tensors()
        time.sleep(0.005)
    for thread in threads:
        thread.join()
    assert not failures, failures
    assert min(now - then for now, then in zip(steps, before)) > 0, (before, steps)
    assert seen == SNAPSHOTS, seen
    print("right", sum(steps))


main(sys.argv[1])
