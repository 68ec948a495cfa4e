"""Objects to which nothing points any more: what a snapshot tells of them.

Prints JSON. An extension has taken references to them and forgotten them; it has kept
another object in a variable.
"""

import ctypes
import json
import sys

import leakgraph

take = ctypes.pythonapi.Py_IncRef
take.argtypes = [ctypes.py_object]


class Message:
    """What the collector knows, and what it refers to."""

    def __init__(self):
        self.text = bytes(5_000)


class Kept(Message):
    """What C code has."""


def forget_all():
    """Take references, as an extension does that forgets them."""
    for number in range(20):
        take(Message())
        take(b"row %d of the forgotten " % number * 9)


def first(snapshot, kind):
    """The first object of a type."""
    return next(node for node in snapshot.nodes if node.type_name == kind)


def told(previews):
    """What a snapshot tells."""
    with leakgraph.snapshot(native=True, previews=previews) as snapshot:
        lost = first(snapshot, "lost native memory")
        message, text = (
            first(snapshot, "__main__.Message"),
            first(snapshot, "hidden bytes"),
        )
        return {
            "held": sorted({edge.target.type_name for edge in lost.referents()}),
            "labels": sorted({edge.label for edge in message.referrers()}),
            "unexplained": message.unexplained,
            "why": [str(snapshot.why(node)) for node in (message, text)],
            "inside": str(snapshot.why(next(iter(message.referents())).target)),
            "kept": str(snapshot.why(first(snapshot, "__main__.Kept"))),
            "facts": text.facts,
        }


slot = ctypes.pythonapi.PyMem_RawMalloc
slot.argtypes, slot.restype = [ctypes.c_size_t], ctypes.c_void_p
kept = Kept()
take(kept)
block = ctypes.c_void_p(slot(64))
ctypes.c_void_p.from_address(block.value).value = id(kept)
del kept
forget_all()
json.dump([told(False), told(True)], sys.stdout)
