"""Compares what objects claim of native memory with what the allocators get back.

    python release/claims_probe.py ANSWER.json <CODES.json

claims.py runs it. CODES.json is a list of names and codes, each of which binds an
object to `kept`. The probe runs them in this order and takes one snapshot with native
memory. Then it lets go of one object after the other, and reads the accounts of malloc
and of Python's allocator before and after.
"""

from __future__ import annotations

import gc
import json
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import package_probe

import leakgraph

ALLOCATED = re.compile(rb"# bytes in allocated blocks *= *([\d,]+)")


def small_blocks() -> int:
    """Count the bytes that Python's own allocator has given out."""
    with tempfile.TemporaryFile() as told:
        kept = os.dup(2)
        os.dup2(told.fileno(), 2)
        sys._debugmallocstats()  # it prints into the file
        os.dup2(kept, 2)
        os.close(kept)
        told.seek(0)
        found = ALLOCATED.search(told.read())
    return int(found[1].replace(b",", b"")) if found else 0


def in_use() -> int:
    """Count the bytes that both allocators have given out."""
    info = package_probe.malloc_says()
    return int(info.uordblks + info.hblkhd) + small_blocks()


class Program:
    """What the codes keep, by their names."""


def keep(program: Program, name: str, code: str) -> None:
    """Run a code and keep what it binds to `kept`."""
    namespace: dict[str, Any] = {"__name__": "exercised"}
    exec(compile(code, f"<{name}>", "exec"), namespace)
    setattr(program, name, namespace["kept"])


def claimed(program: Program) -> dict[str, int]:
    """What each object retains, with native memory."""
    with leakgraph.snapshot(native=True) as snapshot:
        told = snapshot.info()["native"]
        if "not inspected" in str(told):
            raise leakgraph.Error(f"native memory: {told}")
        nodes = {name: snapshot.find(kept) for name, kept in vars(program).items()}
        return {
            name: sum(node.retained.values())
            for name, node in nodes.items()
            if node is not None
        }


def returned(program: Program, name: str) -> int:
    """What the allocators get back when the program lets go of an object."""
    gc.collect()
    before = in_use()
    delattr(program, name)
    gc.collect()
    return before - in_use()


def compared(codes: list[tuple[str, str]]) -> dict[str, Any]:
    """Make the answer, as the file has it."""
    program = Program()
    for name, code in codes:
        keep(program, name, code)
    gc.collect()
    whole = in_use()
    claims = claimed(program)
    back = {name: returned(program, name) for name, _ in codes}
    return {
        "whole": whole,
        "claims": {name: [claims.get(name, 0), back[name]] for name in back},
    }


def main() -> None:
    """Write the answer and end at once, because libraries may fail at exit."""
    codes = [(name, code) for name, code in json.load(sys.stdin)]
    Path(sys.argv[1]).write_text(json.dumps(compared(codes)), encoding="utf-8")
    os._exit(0)


if __name__ == "__main__":
    main()
