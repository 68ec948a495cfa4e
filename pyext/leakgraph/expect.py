"""Objects that should be gone: those still alive in a snapshot, and why.

A snapshot contains what this needs: each object is the referent of an `Expectation`, a
weak reference that `_expected` keeps under its label. So the answer is also right for
objects that died after the snapshot, and in a file that another process reads.
"""

from __future__ import annotations

import weakref
from collections import namedtuple

from leakgraph._core import Node, NotFoundError, Snapshot
from leakgraph.rows import Rows, row_dict, row_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NamedTuple

    from leakgraph._core import Why

    class Uncollected(NamedTuple):
        """An expected object that is still alive: its label, its node, and why."""

        label: str
        node: Node
        why: Why

        @property
        def json(self) -> str:
            """The same as to_dict(), as JSON."""

        def to_dict(self) -> dict[str, Any]:
            """A dict of plain values: a Node is its index."""

else:
    Uncollected = namedtuple("Uncollected", ["label", "node", "why"])
    Uncollected.__doc__ = (
        "An expected object that is still alive: its label, its node, and why."
    )
    Uncollected.__module__ = "leakgraph"
    Uncollected.json = property(row_json, doc="The same as to_dict(), as JSON.")

    def _to_dict(self):
        return row_dict(self)

    Uncollected.to_dict = _to_dict

__all__ = ["Uncollected", "UncollectedRows", "expect_collectable", "uncollected"]


class UncollectedRows(Rows[Uncollected]):
    """The expected objects that are still alive."""

    __slots__ = ()
    _row = Uncollected

    def __str__(self) -> str:
        """Why each of them is alive."""
        return "\n".join(f"{found.label}: {found.why}" for found in self)


class Expectation(weakref.ref):  # type: ignore[type-arg]
    """A weak reference that knows its label."""

    __slots__ = ("label",)
    label: str


_expected: dict[str, Expectation] = {}


def expect_collectable(obj: object, label: str | None = None) -> None:
    """Note that `obj` should be freed soon.

    `Snapshot.uncollected()` then says whether it was alive, and why. Keeps only a weak
    reference. `label` names the object there; the default is the name of its type, with
    a number if the label is in use. Raises TypeError for an object that cannot have
    weak references, such as a list, a dict or an int.
    """
    name = type(obj).__qualname__ if label is None else label
    if not isinstance(name, str):
        raise TypeError(f"label must be a str, not {type(name).__name__}")
    try:
        expectation = Expectation(obj, _forget)
    except TypeError:
        raise TypeError(
            f"an object of type {type(obj).__qualname__} cannot be weakly referenced,"
            " so it cannot be watched; watch the object that holds it, or derive a"
            " class from its type"
        ) from None
    expectation.label = _unused(name)
    _expected[expectation.label] = expectation


def uncollected(snapshot: Snapshot) -> UncollectedRows:
    """The expected objects that were alive when the snapshot was taken."""
    alive = []
    for expectation in _expectations(snapshot):
        for edge in expectation.referents():
            if edge.kind == "referent":
                why = snapshot.why(edge.node)
                alive.append(Uncollected(_label(expectation), edge.node, why))
    return UncollectedRows(alive)


def _forget(expectation: Expectation) -> None:
    _expected.pop(expectation.label, None)


def _unused(label: str) -> str:
    if label not in _expected:
        return label
    number = 2
    while f"{label} ({number})" in _expected:
        number += 1
    return f"{label} ({number})"


def _expectations(snapshot: Snapshot) -> list[Node]:
    name = f"type:{Expectation.__module__}.{Expectation.__qualname__}"
    try:
        return list(snapshot.select(name))
    except NotFoundError:
        return []


def _label(expectation: Node) -> str:
    """Return the key of the reference in `_expected`; '' in a snapshot without keys."""
    for edge in expectation.referrers():
        if edge.kind == "value" and edge.label.startswith("['"):
            return edge.label[2:-2]
    return ""
