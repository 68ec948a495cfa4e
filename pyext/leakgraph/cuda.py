"""Recorded snapshots of PyTorch's CUDA allocator, matched with a heap.

    torch.cuda.memory._dump_snapshot("gpu.pickle")      # in the process
    snap = leakgraph.snapshot()
    print(leakgraph.cuda.attribute("gpu.pickle", snap))

Imported at the first use of `leakgraph.cuda`. Neither torch nor a GPU is needed.
"""

from __future__ import annotations

import json
import os
import pickle
from typing import Any

from leakgraph._core import (
    Accounting,
    ArgumentError,
    FileError,
    Snapshot,
    _attribute,
    load,
    snapshot,
)

__all__ = ["attribute"]


def attribute(
    allocator: str | os.PathLike[str] | dict[str, Any] | list[Any],
    heap: Snapshot | str | os.PathLike[str] | None = None,
) -> Accounting:
    """Match the blocks of an allocator's snapshot with their holders.

    allocator  the result of torch.cuda.memory._snapshot(), or a file of it: the
               pickle of _dump_snapshot(), or JSON. A pickle may hold only dicts, lists,
               texts and numbers, and runs no code.
    heap       a Snapshot, or its .lgs file, taken at the same time in the same
               process; None takes one now

    All sizes are bytes, and add up exactly. Raises FileError if a file is not such a
    snapshot, and ArgumentError if a dict is not one; both say where.
    """
    if heap is None:
        heap = snapshot()
    elif not isinstance(heap, Snapshot):
        heap = load(heap)
    if isinstance(allocator, (dict, list)):
        return _attribute(allocator, heap)
    path = os.fspath(allocator)
    try:
        return _attribute(_read(path), heap)
    except ArgumentError as error:
        raise FileError(f"{path}: {error}") from None


class _Plain(pickle.Unpickler):
    """Reads pickles of plain data; refuses any that name a class or a function."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"it names {module}.{name}")

    def persistent_load(self, pid: Any) -> Any:
        raise pickle.UnpicklingError("it refers to something outside")


def _read(path: str) -> Any:
    """Return the data in a file, a pickle or JSON."""
    with open(path, "rb") as file:
        is_pickle = file.read(1) == b"\x80"
        file.seek(0)
        try:
            return _Plain(file).load() if is_pickle else json.load(file)
        except (
            pickle.UnpicklingError,
            EOFError,
            ValueError,
            AttributeError,
            IndexError,
            KeyError,
            TypeError,
            MemoryError,
            RecursionError,
        ) as error:
            kind = "a pickle of plain data" if is_pickle else "JSON"
            raise FileError(f"{path} is not {kind}: {error}") from None
