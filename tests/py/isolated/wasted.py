"""Compares what waste() promises with what a program saves: python ... CASE.

test_waste.py runs this script.
"""

import array
import gc
import os
import re
import sys
import tempfile
from pathlib import Path

import leakgraph

sys.path.insert(0, str(Path(__file__).parents[1]))

from malloced import in_use

COUNT = 5000
ROOM = 100_000
SECRET = "correct horse battery staple "


class Held:
    """Holds what a case wastes."""


class Plain:
    def __init__(self, number):
        self.x, self.y, self.name = number, number, None


class Slotted:
    __slots__ = ("name", "x", "y")

    def __init__(self, number):
        self.x, self.y, self.name = number, number, None


held = Held()


def spent():
    """Count what malloc and pymalloc have given out, rounded up as they do."""
    sys.stderr.flush()
    keep = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            sys._debugmallocstats()
        finally:
            os.dup2(keep, 2)
            os.close(keep)
        file.seek(0)
        text = file.read().decode()
    (blocks,) = re.findall(r"# bytes in allocated blocks += +([\d,]+)", text)
    return in_use() + int(blocks.replace(",", ""))


def rows_of(name, waste):
    return [row for row in waste if f".held.{name}" in row.held_by]


def check(*cases):
    """Each row says what it saves to do as it says; afterwards there is no such row.

    A case makes what its name says, and returns the kind of waste, how to do without,
    and bytes that the process may save beyond what is promised.
    """
    wanted = {case.__name__: case() for case in cases}
    promised = {}
    gc.collect()
    with leakgraph.snapshot(contents=True) as snap:
        waste = snap.waste(limit=None)
        for name, (kind, _, _) in wanted.items():
            (row,) = rows_of(name, waste)
            assert row.kind == kind, row
            promised[name] = row.waste.host
            del row
        del waste
    for name, (_, replace, more) in wanted.items():
        gc.collect()
        before = spent()
        replace()
        gc.collect()
        saved = before - spent()
        said = promised[name]
        assert 0.98 * (saved - more) <= said <= 1.02 * saved, (name, said, saved)
    with leakgraph.snapshot(contents=True) as snap:
        waste = snap.waste(limit=None)
        assert not [row for name in wanted for row in rows_of(name, waste)], waste


def texts():
    held.texts = ["".join([SECRET] * 40) for _ in range(1000)]

    def replace():
        held.texts = [held.texts[0]] * 1000

    return "equal", replace, 0


def chunks():
    held.chunks = [bytes(bytearray(2000)) for _ in range(500)]

    def replace():
        held.chunks = [held.chunks[0]] * 500

    return "equal", replace, 0


def popped():
    held.popped = [None] * ROOM
    del held.popped[ROOM * 6 // 10 :]

    def replace():
        held.popped = list(held.popped)

    return "room", replace, 0


def dropped():
    held.dropped = dict.fromkeys(range(ROOM))
    for number in range(100, ROOM):
        del held.dropped[number]

    def replace():
        held.dropped = dict(held.dropped.items())

    return "room", replace, 0


def named():
    held.named = {f"key{number}": None for number in range(ROOM)}
    for key in list(held.named)[:-100]:
        del held.named[key]

    def replace():
        held.named = dict(held.named.items())

    return "room", replace, 0


def discarded():
    held.discarded = set(range(ROOM))
    for number in range(100, ROOM):
        held.discarded.discard(number)

    def replace():
        held.discarded = set(held.discarded)

    return "room", replace, 0


def instances():
    held.instances = [Plain(number) for number in range(COUNT)]

    def replace():
        held.instances = [Slotted(number) for number in range(COUNT)]

    # Some Pythons keep values in a block of their own, which they round up by itself.
    return "slots", replace, 16 * COUNT


def records():
    held.records = [{"x": n, "y": n, "name": None} for n in range(COUNT)]

    def replace():
        held.records = [Slotted(number) for number in range(COUNT)]

    return "records", replace, 0


def floats():
    held.floats = [number / 3 for number in range(ROOM)]

    def replace():
        held.floats = array.array("d", held.floats)

    return "boxed", replace, 0


def ints():
    # A sum is an int with room for a carry, which its size does not show.
    held.ints = tuple(array.array("q", range(2**40, 2**40 + ROOM)))

    def replace():
        held.ints = array.array("q", held.ints)

    return "boxed", replace, 0


def lines():
    held.lines = memoryview(bytes(1_000_000))[:1000]

    def replace():
        held.lines = bytes(held.lines)

    return "view", replace, 0


def slices():
    import numpy

    held.slices = [numpy.arange(n, n + 100_000)[:10] for n in range(5)]

    def replace():
        held.slices = [one.copy() for one in held.slices]

    return "view", replace, 0


def arrays():
    import numpy

    held.arrays = [numpy.arange(100_000) for _ in range(5)]
    held.reshaped = numpy.arange(100_000).reshape(100, 1000)
    held.views = [held.arrays[0][:90_000], held.arrays[0].T]

    def replace():
        del held.views
        held.arrays = [held.arrays[0]] * 5

    return "equal", replace, 0


def tensors():
    import torch

    held.tensors = [torch.full((100_000,), 1.5) for _ in range(5)]
    held.shared = held.tensors[0].view(10, -1)

    def replace():
        held.tensors = [held.tensors[0]] * 5

    return "equal", replace, 0


def rows():
    import torch

    held.rows = torch.zeros(1000, 1000)[3]

    def replace():
        held.rows = held.rows.clone()

    return "view", replace, 0


def numbers():
    import pandas

    held.numbers = [pandas.Series(range(100_000)) for _ in range(3)]

    def replace():
        held.numbers = [held.numbers[0]] * 3

    return "equal", replace, 0


def labels():
    import pandas

    labels = ["".join([SECRET] * 4) for _ in range(COUNT)]
    held.labels = pandas.Series(labels, dtype="O")

    def replace():
        held.labels[:] = held.labels[0]

    return "equal", replace, 0


def saved(**how):
    """List the equal strs that a file knows of; no byte of them is in it."""
    leakgraph.save_snapshot("wasted.lgs", contents=True, compress=0, **how)
    assert SECRET.strip().encode() not in Path("wasted.lgs").read_bytes()
    with leakgraph.load("wasted.lgs") as snap:
        assert snap.info()["contents"] == "yes"
        (row,) = rows_of("secrets", snap.waste(limit=None))
        assert (row.kind, row.type, row.count, row.used) == ("equal", "str", 9, 1), row
        return row.waste.host


def files():
    """A file, also of a forked child, records who is equal, and nothing else."""
    held.secrets = ["".join([SECRET] * 41) for _ in range(10)]
    here = saved()
    if "t" not in sys.abiflags:
        assert saved(fork=True) == here
    leakgraph.save_snapshot("wasted.lgs", compress=0)
    with leakgraph.load("wasted.lgs") as snap:
        assert "contents" not in snap.info()
        assert not rows_of("secrets", snap.waste(limit=None))


def builtins():
    check(texts, chunks, popped, dropped, named, discarded)
    check(instances, records, floats, ints, lines)
    files()


def with_torch():
    check(slices, arrays, tensors, rows)


def with_pandas():
    check(numbers, labels)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
    print("right")
