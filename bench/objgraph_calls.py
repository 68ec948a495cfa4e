"""Times the calls of leakgraph.objgraph against those of objgraph.

    python bench/objgraph_calls.py [OBJECTS ...]

Prints a Markdown table: the thread's milliseconds of both, and how many times quicker
ours is. Each figure is a median of runs that take turns in one process. Needs objgraph.
"""

from __future__ import annotations

import io
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import heap

import leakgraph.objgraph

try:
    import objgraph
except ImportError:
    sys.exit("bench/objgraph_calls.py needs objgraph: pip install objgraph")

ROUNDS = 5

# A module holds the heap, so that a search from its objects ends soon: objgraph would
# need hours if only a running function held it.
kept: list[heap.Record] = []


def calls() -> dict[str, Callable[[Any], object]]:
    """What to time, by name; each function gets the module."""
    end = kept[len(kept) // 2]
    return {
        "find_backref_chain(x, is_proper_module)": lambda module: (
            module.find_backref_chain(end, module.is_proper_module)
        ),
        "find_backref_chain(x, nothing, 1)": lambda module: module.find_backref_chain(
            end, lambda one: False, 1
        ),
        "find_backref_chain(x, nothing, 2)": lambda module: module.find_backref_chain(
            end, lambda one: False, 2
        ),
        "show_backrefs(x)": lambda module: module.show_backrefs(
            end, output=io.StringIO()
        ),
        "show_refs(x)": lambda module: module.show_refs(end, output=io.StringIO()),
        "by_type('Record')": lambda module: module.by_type("Record"),
        "most_common_types()": lambda module: module.most_common_types(),
        "growth()": lambda module: module.growth(),
        "get_leaking_objects()": lambda module: module.get_leaking_objects(),
    }


def seconds(call: Callable[[Any], object], module: Any) -> float:
    """Measure the thread's milliseconds of one call."""
    started = time.thread_time()
    call(module)
    return time.thread_time() - started


def main() -> None:
    """Time every call on ordered and shuffled heaps of each size."""
    print("| objects | call | objgraph | leakgraph.objgraph | times quicker |")
    print("| --- | --- | --- | --- | --- |")
    for objects in map(int, sys.argv[1:] or ("100000", "1000000")):
        for order in ("ordered", "shuffled"):
            kept[:] = heap.records(objects, shuffled=order == "shuffled")
            for name, call in calls().items():
                theirs, ours = [], []
                for _ in range(ROUNDS):
                    theirs.append(seconds(call, objgraph))
                    ours.append(seconds(call, leakgraph.objgraph))
                before, after = statistics.median(theirs), statistics.median(ours)
                print(
                    f"| {objects:,}, {order} | `{name}` | {before * 1e3:.1f} ms "
                    f"| {after * 1e3:.1f} ms | {before / after:.1f} |",
                    flush=True,
                )
            del call


if __name__ == "__main__":
    main()
