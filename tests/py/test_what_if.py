"""Snapshot.what_if() names what dies in a fork that makes the same cuts."""

from __future__ import annotations

import gc
import json
import os
import weakref
from collections.abc import Callable, Iterator

import pytest

import leakgraph

pytestmark = pytest.mark.ends


class Thing:
    def __init__(self, *held: object) -> None:
        self.held = list(held)
        self.named: dict[str, object] = {}


class World:
    """The tests cut these: lists, dicts, attributes, a cycle, shared objects."""

    def __init__(self) -> None:
        self.shared = Thing()
        self.losses = [Thing(self.shared) for _ in range(5)]
        self.best = self.losses[3]
        self.ring = Thing(Thing())
        self.ring.held.append(self.ring)
        self.table = {(1, 2): Thing(), "best": self.best, "free": Thing(Thing())}
        self.layers = [Thing() for _ in range(3)]
        self.alike = [Thing() for _ in range(30)]
        self.also = dict(enumerate(self.alike))
        for layer in self.layers:
            layer.named["cache"] = Thing()


world = World()


def things() -> list[Thing]:
    return [one for one in gc.get_objects() if type(one) is Thing]


@pytest.fixture(scope="module")
def snap() -> Iterator[leakgraph.Snapshot]:
    gc.collect()
    with leakgraph.snapshot() as taken:
        yield taken


def die_in_a_fork(cut: Callable[[], object]) -> set[int]:
    """List Things' addresses that are gone in a child after `cut` and a collection."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            addresses = [(id(one), weakref.ref(one)) for one in things()]
            cut()
            gc.collect()
            gone = [address for address, one in addresses if one() is None]
            os.write(writer, json.dumps(gone).encode())
            status = 0
        finally:
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        gone = json.loads(stream.read())
    assert os.waitpid(child, 0)[1] == 0
    return set(gone)


def clear_caches() -> None:
    for layer in world.layers:
        del layer.named["cache"]


NAME = f"{__name__}.world"
CUTS: dict[str, tuple[list[str], Callable[[], object]]] = {
    "attribute": ([f"{NAME}.losses"], lambda: delattr(world, "losses")),
    "items": ([f"{NAME}.losses[*]"], lambda: world.losses.clear()),
    "several": (
        [f"{NAME}.losses", f"{NAME}.best", f"{NAME}.table", f"{NAME}.shared"],
        lambda: [delattr(world, n) for n in ("losses", "best", "table", "shared")],
    ),
    "cycle": ([f"{NAME}.ring"], lambda: delattr(world, "ring")),
    "values": ([f"{NAME}.table[*]"], lambda: world.table.clear()),
    "each": ([f"{NAME}.layers[*].named['cache']"], clear_caches),
    "nothing": ([f"{NAME}.best"], lambda: delattr(world, "best")),
    "variable": ([NAME], lambda: globals().pop("world")),
}


@pytest.mark.parametrize("case", sorted(CUTS))
def test_what_dies_in_a_fork(snap: leakgraph.Snapshot, case: str) -> None:
    references, cut = CUTS[case]
    answer = snap.what_if(references)
    reported = {n.address for n in answer.nodes if n.type_name == f"{__name__}.Thing"}
    assert reported == die_in_a_fork(cut)
    assert sum(row.count for row in answer) == len(answer.nodes)
    assert sum(sum(row.size.values()) for row in answer) == sum(answer.size.values())


def test_a_cycle_waits_for_the_collector(snap: leakgraph.Snapshot) -> None:
    assert snap.what_if(f"{NAME}.ring").waiting >= 3
    assert snap.what_if(f"{NAME}.layers").waiting == 0


def test_the_next_thing_to_cut(snap: leakgraph.Snapshot) -> None:
    answer = snap.what_if(f"{NAME}.losses")
    best = snap.select(f"name:{NAME}.best")[0]
    kept = next(one for one in answer.kept if one.node == best)
    assert not kept.is_target and kept.held_by.startswith(NAME)
    assert kept.cut_count == 2  # world.best and world.table
    assert "cut next" in str(answer)
    more = snap.what_if([f"{NAME}.losses", f"{NAME}.best", f"{NAME}.table['best']"])
    assert kept.node in list(more.nodes)


def test_what_lives_on_alike_is_one_row(snap: leakgraph.Snapshot) -> None:
    answer = snap.what_if([f"{NAME}.{name}" for name in ("layers", "ring")])
    assert all(one.count == 1 for one in answer.kept)
    answer = snap.what_if(f"{NAME}.alike")
    (kept,) = [one for one in answer.kept if one.count > 1]
    assert kept.count == 30 and kept.held_by == f"{NAME}.also[*]"
    assert kept.cut == kept.held_by and kept.cut_count == 1
    text = str(answer)
    assert f"30 {__name__}.Thing" in text and ", for each of them" in text


def test_edges_hops_and_texts_say_the_same(snap: leakgraph.Snapshot) -> None:
    owner = snap.select(f"name:{NAME}.losses")[0]
    by_text = snap.what_if(f"{NAME}.losses[*]")
    by_edge = snap.what_if([e for e in owner.referents() if "[" in e.label])
    assert list(by_text.nodes) == list(by_edge.nodes)
    assert by_text.references == by_edge.references == 5
    hop = snap.why(world.layers).path[-1]
    by_hop = snap.what_if(hop)
    assert list(by_hop.nodes) == list(snap.what_if(f"{NAME}.layers").nodes)
    assert json.loads(by_text.json)["objects"] == len(by_text.nodes)


def test_what_names_no_reference(snap: leakgraph.Snapshot) -> None:
    with pytest.raises(leakgraph.ArgumentError, match="names no reference"):
        snap.what_if("type:list")
    with pytest.raises(leakgraph.NotFoundError, match="did you mean"):
        snap.what_if(f"{NAME}.losse")
    with pytest.raises(TypeError, match="not int"):
        snap.what_if([1])  # type: ignore[list-item]
    with leakgraph.snapshot(roots=[world]) as part:
        with pytest.raises(leakgraph.ArgumentError, match="another snapshot"):
            snap.what_if(list(part.edges)[:1])
        with pytest.raises(leakgraph.PartialError):
            part.what_if(list(part.edges)[:1])
