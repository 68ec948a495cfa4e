"""Prints the unexplained share of a process as JSON: python ... PROCESS.

The script imports the modules of that process and takes a snapshot. It counts the nodes
whose reference count means something (mortal Python objects), those of them that have
references without a known holder, and those with more holders than references; a
correct walk finds none of the last. release/matrix.py also runs it, for
docs/versions.md.
"""

import collections
import gc
import json
import sys

PROCESSES = {
    "library": "asyncio json sqlite3 ctypes decimal unittest.mock",
    "figures": "numpy matplotlib.pyplot",
}
MARKS = (1 << 2) | (1 << 3) | (1 << 8)  # immortal, synthetic, C++


def counted(snapshot):
    """List mortal objects' indices, each with its references minus its edges."""
    flags = snapshot.column("node_flags")
    found = snapshot.column("found")
    for node, references in enumerate(snapshot.column("refcount")):
        if not flags[node] & MARKS:
            yield node, references - found[node]


def measured(snapshot):
    """Return the figures, and which types have unexplained references most often."""
    mortal = negative = 0
    types = collections.Counter()
    for node, rest in counted(snapshot):
        mortal += 1
        negative += rest < 0
        if rest > 0:
            types[snapshot.node(node).type_name] += 1
    unexplained = sum(types.values())
    return {
        "method": snapshot.method,
        "mortal": mortal,
        "unexplained": unexplained,
        "negative": negative,
        "share": unexplained / mortal,
        "types": dict(types.most_common(12)),
    }


def load(name):
    """Import a module, unless the interpreter was built without what it needs."""
    try:
        __import__(name)
    except ModuleNotFoundError as error:
        if not error.name.startswith("_"):
            raise


def main():
    """Import, collect the imports' garbage, and capture."""
    for name in PROCESSES[sys.argv[1]].split():
        load(name)
    import leakgraph

    gc.collect()
    snapshot = leakgraph.snapshot()
    print(json.dumps(measured(snapshot)))


main()
