"""Times what native memory adds to a snapshot.

    python bench/native.py [--blocks 1000000] [--rounds 3]

Builds a program that keeps blocks of `malloc` in lists, and as many small objects of
Python. Prints a Markdown table: the seconds to list all blocks, the seconds of a forked
snapshot without and with native memory, the time for which the process stopped, and the
bytes of the files. All figures are of one run, the median of the rounds, so that their
ratios hold on a busy machine, too.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import statistics
import struct
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import leakgraph
from leakgraph import _core

BLOCK_BYTES = 24  # of a row of the list


def build(blocks: int) -> list[object]:
    """Keep blocks of malloc, each with the address of the one before, and objects."""
    malloc = ctypes.CDLL(None).malloc
    malloc.restype, malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    last = 0
    for i in range(blocks // 2):
        block = malloc(16 + i % 200)
        ctypes.c_uint64.from_address(block).value = last
        last = block
    kept: list[object] = [ctypes.c_uint64(last)]
    kept += [bytes(20 + i % 300) for i in range(blocks // 2)]
    return kept


def listing() -> tuple[float, int]:
    """List the blocks in a forked child: seconds, and how many there are."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        start = time.perf_counter()
        blocks, _, _, failure = _core._native_blocks()
        spent = time.perf_counter() - start
        count = len(blocks) // BLOCK_BYTES if failure is None else 0
        os.write(writer, struct.pack("dQ", spent, count))
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writer)
    with open(reader, "rb") as pipe:
        seconds, count = struct.unpack("dQ", pipe.read())
    return seconds, count


def measure(folder: str, rounds: int) -> dict[str, float]:
    """The medians of all figures."""
    found: dict[str, list[float]] = {}
    for _ in range(rounds):
        seconds, count = listing()
        figures: dict[str, float] = {"listing": seconds, "blocks": count}
        for name in ("plain", "native"):
            path = Path(folder) / f"{name}.lgs"
            info = leakgraph.save_snapshot(path, fork=True, native=name == "native")
            figures[name] = info.seconds
            figures[f"{name} pause"] = info.pause
            figures[f"{name} bytes"] = info.bytes
        for key, value in figures.items():
            found.setdefault(key, []).append(value)
    return {key: statistics.median(values) for key, values in found.items()}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--blocks", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(
        "| blocks | listing | a block | snapshot | with native memory | more a block | "
        "pause | with native memory | file, more a block |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    kept = []
    for blocks in options.blocks:
        kept.append(build(blocks))
        with TemporaryDirectory() as folder:
            told = measure(folder, options.rounds)
        count = told["blocks"]
        cells = [
            f"{count / 1e6:.2f} M",
            f"{told['listing']:.3f} s",
            f"{told['listing'] / count * 1e9:.0f} ns",
            f"{told['plain']:.3f} s",
            f"{told['native']:.3f} s",
            f"{(told['native'] - told['plain']) / count * 1e9:.0f} ns",
            f"{told['plain pause'] * 1000:.0f} ms",
            f"{told['native pause'] * 1000:.0f} ms",
            f"{(told['native bytes'] - told['plain bytes']) / count:.1f} B",
        ]
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
