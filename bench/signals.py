"""Asks a busy process for snapshots by signals: python bench/signals.py [COUNT].

Arms a process with four threads that change its heap, and with a running garbage
collector, and sends it SIGURG COUNT times (600). After each signal the process must
live and the file must be whole. Prints how long the process stood still.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import leakgraph

BUSY = """
import sys, threading
import leakgraph

pauses = open("pauses", "w")

def note(info, reason):
    print(info.pause, info.nodes, file=pauses, flush=True)

leakgraph.arm("run-{n}.lgs", keep=2, on_saved=note)
sys.setswitchinterval(1e-4)

class Node:
    pass

def change(seed):
    kept = {}
    while True:
        seed = (seed * 1103515245 + 12345) & 0xFFFFFFFF
        node = Node()
        node.back = kept.setdefault(seed % 199, [node])
        node.text, node.pair = str(seed), (seed, {"x": [seed]})
        node.back.append(node)
        if len(node.back) > 20:
            # Leave only a part to the collector: that of a free-threaded build does
            # not keep up with four threads.
            cycle = kept.pop(seed % 199)
            if seed % 64:
                cycle.clear()

for seed in range(4):
    threading.Thread(target=change, args=(seed,), daemon=True).start()
print("busy", flush=True)
sys.stdin.read()
"""


def main(count: int) -> str:
    """Send the signals and sum up."""
    with tempfile.TemporaryDirectory() as folder:
        busy = subprocess.Popen(
            [sys.executable, "-c", BUSY],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            assert busy.stdout is not None
            busy.stdout.readline()
            for number in range(1, count + 1):
                ask(busy, Path(folder), number)
            busy.communicate(timeout=60)
        finally:
            busy.kill()
        if busy.returncode != 0:
            raise RuntimeError(f"the process ended with {busy.returncode}")
        rows = (Path(folder) / "pauses").read_text().split()
    pauses = sorted(map(float, rows[::2]))
    nodes = sorted(map(int, rows[1::2]))
    return (
        f"{len(pauses)} snapshots of {nodes[0]:,} to {nodes[-1]:,} objects, all whole;"
        f" the process stood still for {1000 * pauses[len(pauses) // 2]:.1f} ms"
        f" (median), {1000 * pauses[-1]:.1f} ms at most"
    )


def ask(busy: subprocess.Popen[str], folder: Path, number: int) -> None:
    """Send one signal; check that the file is whole and the process lives."""
    path = folder / f"run-{number}.lgs"
    # Hit the process at varying moments.
    time.sleep(number * 0.618034 % 1 / 100)
    os.kill(busy.pid, signal.SIGURG)
    while not path.exists():
        if busy.poll() is not None:
            raise RuntimeError(f"the process ended with {busy.returncode}")
        time.sleep(0.001)
    with leakgraph.load(path) as snapshot:
        if len(snapshot) < 1000 or not snapshot.select("type:__main__.Node"):
            raise RuntimeError(f"snapshot {number} is damaged")


if __name__ == "__main__":
    print(main(int(sys.argv[1]) if len(sys.argv) > 1 else 600))
