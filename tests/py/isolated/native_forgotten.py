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


def first_lost(lost, kind):
    """The first object of a type to which no word of the process leads.

    An interpreter has hidden objects in variables of its own, and a call's arguments
    may lie in a block of ctypes for longer than the call.
    """
    return next(
        edge.target
        for edge in lost.referents()
        if edge.target.type_name == kind and edge.label == "no pointer"
    )


def text_of(message):
    """The text that an instance has, or its dict."""
    reached = [edge.target for edge in message.referents()]
    dicts = [node for node in reached if node.type_name == "dict"]
    reached += [edge.target for node in dicts for edge in node.referents()]
    return next(node for node in reached if node.type_name == "bytes")


def told(previews):
    """What a snapshot tells."""
    with leakgraph.snapshot(native=True, previews=previews) as snapshot:
        lost = first(snapshot, "lost native memory")
        message = first_lost(lost, "__main__.Message")
        text = first_lost(lost, "hidden bytes")
        return {
            "held": sorted({edge.target.type_name for edge in lost.referents()}),
            "labels": sorted({edge.label for edge in message.referrers()}),
            "unexplained": message.unexplained,
            "why": [str(snapshot.why(node)) for node in (message, text)],
            "inside": str(snapshot.why(text_of(message))),
            "kept": str(snapshot.why(first(snapshot, "__main__.Kept"))),
            "facts": text.facts,
            "forgotten": [
                (edge.label, edge.target.facts["blocks"])
                for edge in lost.referents()
                if edge.target.type_name == "hidden bytes"
            ],
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
