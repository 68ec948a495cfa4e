"""cycles(): which cycles there are, of which kind, and where to cut them."""

import gc
import os
import threading
import weakref
from pathlib import Path

import pytest
import shapes
from builds import FREE_THREADED, needs
from collector import (
    called_collectable,
    classes_stay,
    collector_off,
    cut,
    freed_by_collector,
)

import leakgraph

pytestmark = [pytest.mark.ends, pytest.mark.small]

ISOLATED = Path(__file__).parent / "isolated"
MIB = 1 << 20


@pytest.fixture
def still():
    """No collection while the test runs."""
    with collector_off():
        yield


@pytest.fixture
def freed_in_any_fork():
    """No collection while the test runs; what a fork frees even before it.

    Handlers of forks drop in the child what is alive here. Once the process has made an
    event loop, that of asyncio drops a threading.local, whose references free-threaded
    3.14 counts late: only the collector frees it.
    """
    with collector_off():
        yield freed_by_collector()


@pytest.fixture
def dropped_in_forks():
    """A list whose content a handler of forks drops in each child."""
    kept = [shapes.three_in_a_ring()]
    os.register_at_fork(after_in_child=kept.clear)
    yield kept
    kept.clear()


def cycles_with(snapshot, **options):
    return list(snapshot.cycles(min_bytes=0, limit=None, **options))


def cycle_of(snapshot, node):
    (found,) = (c for c in cycles_with(snapshot) if node in list(c.nodes))
    return found


@pytest.mark.parametrize("shape", shapes.COLLECTABLE)
def test_collector_frees_what_leakgraph_says(freed_in_any_fork, shape):
    address = id(shape())
    snapshot = leakgraph.snapshot()
    called = called_collectable(snapshot)
    stays = shape in shapes.OF_A_CLASS and classes_stay()
    assert (address in called) is not stays
    assert called == freed_by_collector() - freed_in_any_fork


@pytest.mark.parametrize("shape", shapes.COLLECTABLE)
def test_collector_frees_nothing_that_is_held(freed_in_any_fork, shape):
    kept = shape()
    snapshot = leakgraph.snapshot()
    called = called_collectable(snapshot)
    assert id(kept) not in called
    assert called == freed_by_collector() - freed_in_any_fork


def test_what_only_forks_drop_is_held(dropped_in_forks, freed_in_any_fork):
    snapshot = leakgraph.snapshot()
    called = called_collectable(snapshot)
    assert id(dropped_in_forks[0]) in freed_in_any_fork - called
    assert called == freed_by_collector() - freed_in_any_fork


def test_generator_frees_itself_when_it_is_closed(still):
    # Its finalizer breaks the cycle, so it never gets as far as gc.garbage.
    generator = shapes.generator_in_its_frame()
    reference, address = weakref.ref(generator), id(generator)
    del generator
    assert address in called_collectable(leakgraph.snapshot())
    assert reference() is not None
    gc.collect()
    assert reference() is None


def test_planted_two_cycles(freed_in_any_fork):
    heap = [[str(i), {"n": i}] for i in range(33_400)]
    planted = set()
    for i in range(334):
        a, b = shapes.Thing(), shapes.Thing()
        a.other, b.other, a.item = b, a, heap[i * 100]
        planted |= {id(a), id(b)}
    del a, b
    snapshot = leakgraph.snapshot()
    assert len(snapshot) > 100_000
    called = called_collectable(snapshot)
    assert planted <= called
    assert called == freed_by_collector() - freed_in_any_fork
    found = cycles_with(snapshot, kind="collectable")
    found_in = {node.address for cycle in found for node in cycle.nodes}
    assert planted <= found_in
    mine = [c for c in found if c.types and "Thing" in str(c)]
    assert len(mine) == 334


def test_the_collector_is_not_run_and_nothing_revived(still):
    reference = weakref.ref(shapes.parent_and_child())
    before = gc.get_stats()
    assert leakgraph.cycles(kind="collectable").total >= 1
    assert gc.get_stats() == before and gc.garbage == []
    assert reference() is not None
    gc.collect()
    assert reference() is None


def test_parent_and_child(still):
    parent = shapes.parent_and_child()
    snapshot = leakgraph.snapshot()
    cycle = cycle_of(snapshot, snapshot.find(parent))
    assert cycle.kind == "held"
    assert {row.type for row in cycle.types} >= {"shapes.Thing", "list"}
    assert str(cycle.path).endswith("local parent")
    assert {hop.label for hop in cycle.hops} >= {".children", ".parent"}
    assert cycle.cut.label == ".parent" and cycle.cut.reason
    assert cycle.cut.target == snapshot.find(parent)
    inner = set(cycle.nodes)
    assert all(e.source in inner and e.target in inner for e in cycle.edges)


def test_what_the_program_sets_on_an_object_of_a_library_is_the_programs(still):
    """Only code of the program has the name of the attribute."""
    flag = threading.Event()
    flag.rows_of_this_test = [flag]
    snapshot = leakgraph.snapshot()
    cycle = cycle_of(snapshot, snapshot.find(flag))
    assert cycle.library is None
    assert cycle.cut.label == ".rows_of_this_test"
    assert "library" not in cycle.cut.reason


def test_what_its_own_code_may_set_is_the_librarys(still):
    flag = threading.Event()
    flag._flag = [flag]
    cycle = cycle_of(snapshot := leakgraph.snapshot(), snapshot.find(flag))
    assert cycle.library == "threading"


def test_what_both_may_set_is_the_librarys_to_drop(still):
    owner, flag = shapes.Thing(), threading.Event()
    owner.event_of_this_test, flag._flag = flag, owner
    cycle = cycle_of(snapshot := leakgraph.snapshot(), snapshot.find(owner))
    assert cycle.cut.label == ".event_of_this_test"


def test_what_code_names_of_a_class_does_not_tell_who_set_it(still):
    """C code sets datetime.min, and the code of a class's body is gone."""
    made = type("Made", (), {"__module__": "threading"})
    setattr(made, "least" + "_of_this_test", made())
    assert made.least_of_this_test
    snapshot = leakgraph.snapshot()
    assert cycle_of(snapshot, snapshot.find(made)).library == "threading"


class Worker(threading.Thread):
    """A class of the program, whose base keeps the bound method."""

    def __init__(self):
        super().__init__(target=self.work)
        self.kept_work = []

    def work(self):
        self.kept_work.append(self)


def test_what_the_code_of_a_base_class_sets_is_the_librarys(still):
    worker = Worker()
    snapshot = leakgraph.snapshot()
    cycle = cycle_of(snapshot, snapshot.find(worker))
    assert cycle.cut.label == "." + "_target"
    assert "the code of a library sets this attribute" in cycle.cut.reason
    setattr(worker, cycle.cut.label[1:], None)
    worker.work()
    snapshot = leakgraph.snapshot()
    cycle = cycle_of(snapshot, snapshot.find(worker))
    assert cycle.cut.label == ".kept_work"
    assert "library" not in cycle.cut.reason


def test_retained_bytes_of_a_cycle(still):
    a, b = shapes.Thing(), shapes.Thing(data=bytearray(MIB))
    a.b, b.a = b, a
    snapshot = leakgraph.snapshot()
    cycle = cycle_of(snapshot, snapshot.find(a))
    assert MIB < cycle.retained.total < MIB + 2048
    assert isinstance(cycle.retained, leakgraph.Size)
    assert cycle.retained == {"host": snapshot.retained(list(cycle.nodes)).host}


@pytest.mark.parametrize(
    "shape",
    [
        shapes.parent_and_child,
        shapes.closure_of_itself,
        shapes.list_in_itself,
        shapes.dict_in_itself,
        shapes.bound_method_of_itself,
        shapes.partial_of_its_method,
        shapes.lambda_that_captures_it,
        shapes.callback_in_a_list,
        shapes.three_in_a_ring,
    ],
)
def test_cutting_the_edge_named_unties_it(still, shape):
    kept = [shape()]
    snapshot = leakgraph.snapshot()
    cycle = cycle_of(snapshot, snapshot.find(kept[0]))
    assert cycle.kind == "held"
    addresses = {node.address for node in cycle.nodes if node.tracked}
    rounds = sum(edge.target == cycle.cut.target for edge in cycle.edges)
    for _ in range(rounds):
        again = leakgraph.snapshot()
        cyclic = [c for c in cycles_with(again) if again.find(kept[0]) in list(c.nodes)]
        if cyclic:
            cut(cyclic[0])
    after = leakgraph.snapshot()
    node = after.find(kept[0])
    assert [c for c in cycles_with(after) if node in list(c.nodes)] == []
    kept.clear()
    assert not addresses & freed_by_collector()


@pytest.mark.parametrize(
    ("shape", "label", "word"),
    [
        (shapes.bound_method_of_itself, ".on_click", "bound method"),
        (shapes.partial_of_its_method, ".on_click", "bound method"),
        (shapes.lambda_that_captures_it, ".on_click", "captures"),
        (shapes.callback_in_a_list, "[0]", "bound method"),
    ],
)
def test_what_stores_a_callable_is_cut(still, shape, label, word):
    kept = shape()
    snapshot = leakgraph.snapshot()
    cut = cycle_of(snapshot, snapshot.find(kept)).cut
    assert (cut.label, word in cut.reason) == (label, True)
    assert cut.source.type_name in ("shapes.Thing", "list")
    advice = cycle_of(snapshot, snapshot.find(kept)).advice
    assert advice.startswith("Thing.") and advice.endswith(cut.reason)
    assert f"{label}: " in advice


@needs("numpy")
@pytest.mark.parametrize("case", ["held", "garbage", "bytes"])
def test_object_arrays(python, case):
    done = python(ISOLATED / "arrays.py", case)
    assert (done.code, done.out) == (0, "right\n"), done.err


@pytest.mark.skipif(
    FREE_THREADED, reason="frozen garbage is not shown by PyUnstable_GC_VisitObjects"
)
def test_frozen_is_uncollectable(python):
    done = python(
        "-c",
        "import gc, leakgraph\n"
        "gc.disable()\n"
        "a = []; a.append(a)\n"
        "gc.freeze()\n"
        "address = id(a); del a\n"
        "snapshot = leakgraph.snapshot()\n"
        "found = snapshot.cycles(kind='uncollectable', min_bytes=0, limit=None)\n"
        "(c,) = (c for c in found if address in {n.address for n in c.nodes})\n"
        "print(c.reason)\n",
    )
    assert done.out == "frozen\n", done.err


def test_cache_of_a_named_class_is_no_cycle(still):
    predictor = shapes.Predictor()
    predictor.predict(1)
    predictor.predict("two")
    snapshot = leakgraph.snapshot()
    node = snapshot.find(predictor)
    assert [c for c in cycles_with(snapshot) if node in list(c.nodes)] == []
    del predictor
    again = leakgraph.snapshot()
    (left,) = again.select("type:shapes.Predictor")
    why = again.why(left)
    assert "_lru_cache_wrapper shapes.Predictor.predict #" in str(why)
    assert "key (Predictor, 1)" in str(why) or "key (Predictor, 'two')" in str(why)
    assert "0x" not in str(why)
    assert why.retained > MIB
    quiet = leakgraph.snapshot(keys=False)
    (left,) = quiet.select("type:shapes.Predictor")
    text = str(quiet.why(left))
    assert "key (Predictor, int)" in text or "key (Predictor, str)" in text
    shapes.Predictor.predict.cache_clear()


def test_exception_loop_is_held_by_a_local(still):
    kept = shapes.exception_and_frame()
    snapshot = leakgraph.snapshot()
    cycle = cycle_of(snapshot, snapshot.find(kept))
    assert cycle.kind == "held"
    assert any("traceback" in row.type for row in cycle.types)


def test_kinds(still):
    kept = shapes.parent_and_child()
    shapes.parent_and_child()
    snapshot = leakgraph.snapshot()
    every = cycles_with(snapshot)
    assert {c.kind for c in every} >= {"held", "collectable"}
    for kind in ("held", "collectable"):
        only = cycles_with(snapshot, kind=kind)
        assert len(only) == sum(c.kind == kind for c in every) > 0
    both = cycles_with(snapshot, kind=("held", "collectable"))
    assert len(both) == sum(c.kind != "uncollectable" for c in every)
    with pytest.raises(
        leakgraph.ArgumentError,
        match="kind takes collectable, held or uncollectable, not 'garbage'",
    ):
        snapshot.cycles(kind="garbage")
    del kept


def test_a_limit_needs_no_name(still):
    kept = [shapes.parent_and_child() for _ in range(3)]
    found = leakgraph.snapshot().cycles(2, min_bytes=0, holding=shapes.Thing)
    assert len(found) == 2 < found.total
    assert found[0]._asdict()["more_least"] is False
    del kept


def test_a_baseline(still, tmp_path):
    def leaks(**options):
        return leakgraph.cycles(limit=1, baseline=known, **options)

    known = tmp_path / "known.txt"
    with pytest.raises(leakgraph.FileError, match="cannot open the baseline"):
        leaks()
    with pytest.raises(leakgraph.ArgumentError, match="give baseline"):
        leakgraph.cycles(update_baseline=True)
    gc.collect()
    leaks(update_baseline=True)
    others = leaks(holding=shapes.Thing).known
    for _ in range(3):
        shapes.three_in_a_ring()
    new = leaks(holding=shapes.Thing)
    assert (new.leaks, new.known) == (3, others)
    lines = known.read_text()
    both = leaks(holding=shapes.Thing, update_baseline=True)
    assert (both.leaks, both.known) == (0, others + 3)
    (added,) = known.read_text()[len(lines) :].splitlines()
    assert added.startswith(f"cycle {new[0].key} collectable: Thing")
    gc.collect()
    shapes.three_in_a_ring()
    again = leaks(holding=shapes.Thing)
    assert (again.leaks, again.known) == (0, others + 1)


def test_limit_and_total(still):
    kept = [shapes.three_in_a_ring() for _ in range(30)]
    snapshot = leakgraph.snapshot()
    every = snapshot.cycles(min_bytes=0, limit=None)
    some = snapshot.cycles(min_bytes=0, limit=5)
    assert len(some) == 5 and some.total == every.total == len(every) >= 30
    assert some.kinds == {k: sum(c.kind == k for c in every) for k in every.kinds}
    assert len(snapshot.cycles(min_bytes=0)) == 20
    order = [(c.library is None, c.retained.total) for c in every]
    assert order == sorted(order, reverse=True)
    assert every[-1] == every[len(every) - 1]
    assert list(some[1:3]) == [some[1], some[2]]
    with pytest.raises(IndexError):
        some[5]
    with pytest.raises(ValueError, match="limit"):
        snapshot.cycles(limit=0)
    del kept


def test_default_leaves_small_held_ones_out(still):
    small, big = shapes.three_in_a_ring(), shapes.three_in_a_ring()
    big.data = bytearray(2 * MIB)
    snapshot = leakgraph.snapshot()
    shown = {n for c in snapshot.cycles(limit=None) for n in c.nodes}
    assert snapshot.find(big) in shown and snapshot.find(small) not in shown
    over = snapshot.cycles(min_bytes=3 * MIB, limit=None)
    assert snapshot.find(big) not in {n for c in over for n in c.nodes}
    with pytest.raises(ValueError, match="min_bytes"):
        snapshot.cycles(min_bytes=-1)


class Called(type):
    """A class that shows whether it was called, or asked for its name."""

    def __call__(cls):
        raise AssertionError("called")

    @property
    def __name__(cls):
        raise AssertionError("asked")


class Uncalled(metaclass=Called):
    """An object that nothing may make."""


def test_holding_a_class_does_not_call_it(still):
    ring = shapes.three_in_a_ring()
    ring.data = object.__new__(Uncalled)
    other = shapes.three_in_a_ring()
    other.data = {}
    snapshot = leakgraph.snapshot()
    found = {n for c in cycles_with(snapshot, holding=Uncalled) for n in c.nodes}
    assert snapshot.find(ring) in found and snapshot.find(other) not in found
    assert snapshot.find(other) in {
        n for c in cycles_with(snapshot, holding=dict) for n in c.nodes
    }
    assert cycles_with(snapshot, holding=Never) == []


class Never:
    """A class without instances."""


class Precious(dict):
    """A type that the test asks for."""


class MorePrecious(Precious):
    """A subclass of it."""


def test_holding(still):
    ring, other = shapes.three_in_a_ring(), shapes.three_in_a_ring()
    ring.data = [MorePrecious(a=1)]
    snapshot = leakgraph.snapshot()
    node, wrong = snapshot.find(ring), snapshot.find(other)
    asked = []

    def precious(name):
        asked.append(name)
        return name.endswith("Precious")

    for holding in (f"{__name__}.Precious", precious):
        found = {n for c in cycles_with(snapshot, holding=holding) for n in c.nodes}
        assert node in found and wrong not in found
    assert len(asked) == len(set(asked)) > 100
    with pytest.raises(TypeError, match="holding"):
        snapshot.cycles(holding=3)
    with pytest.raises(
        leakgraph.NotFoundError, match=f"did you mean {__name__}.Precious"
    ):
        snapshot.cycles(holding=f"{__name__}.Preciuos")
    with pytest.raises(ZeroDivisionError):
        snapshot.cycles(holding=lambda name: 1 // 0)


def test_by(still):
    kept = [shapes.three_in_a_ring() for _ in range(3)]
    for i, ring in enumerate(kept):
        ring.data = bytearray(MIB * (i + 1))
    snapshot = leakgraph.snapshot()
    by_host = snapshot.cycles(min_bytes=0, limit=2, by="host")
    sizes = [c.retained.host for c in by_host]
    assert [size // MIB for size in sizes] == [3, 2]
    with pytest.raises(leakgraph.ArgumentError, match="no device 'size'"):
        snapshot.cycles(by="size")
    with pytest.raises(leakgraph.ArgumentError, match="no device 'cuda:9'"):
        snapshot.cycles(by="cuda:9")


def test_text_and_html(still):
    shapes.parent_and_child()
    cycles = leakgraph.cycles(kind="collectable")
    text = str(cycles)
    assert "collectable" in text and ".parent" in text
    html = cycles._repr_html_()
    assert "<table>" in html and "data:image/svg+xml" in html
    assert html.count("<tr>") == len({cycle.group for cycle in cycles}) + 1
    (first, *_) = (c for c in cycles if ".parent" in str(c))
    assert repr(first).startswith("<leakgraph.Cycle, collectable: ")
    assert first._repr_svg_().startswith("<svg")
    assert ".parent" in first.drawing.text


def test_closed_snapshot_is_an_error(still):
    shapes.three_in_a_ring()
    snapshot = leakgraph.snapshot()
    cycles = snapshot.cycles()
    cycle = cycles[0]
    texts = str(cycle), str(cycles)
    snapshot.close()
    assert (str(cycle), str(cycles)) == texts
    assert "<table>" in cycles._repr_html_()
    for use in (
        lambda: cycle.nodes,
        lambda: cycle.edges,
        lambda: cycle.cut_edges,
        lambda: cycle.drawing,
        lambda: snapshot.cycles(),
    ):
        with pytest.raises(leakgraph.ClosedError):
            use()


def test_a_healthy_process_has_no_leaks(python):
    """Classes that C code keeps for itself are components, but no leaks."""
    code = """
import ast, asyncio, ctypes, gc, sqlite3, unittest.mock
import leakgraph
compile("a = 1", "file", "exec", ast.PyCF_ONLY_AST)
gc.collect()
gc.disable()
found = leakgraph.cycles(kind=["collectable", "uncollectable"], limit=None)
print(len(found))
print(found)
"""
    done = python("-c", code)
    assert done.out.splitlines()[0] == "0", done.out[:2000] + done.err


@pytest.mark.libraries
def test_what_importing_torch_leaves_is_no_leak(python):
    code = "import gc; gc.disable(); import torch, leakgraph; c = leakgraph.cycles()\n"
    done = python("-c", code + "print(c.total > 0, c.leaks, c[0].library)", timeout=300)
    assert done.out.startswith("True 0 "), done.out + done.err
    assert "None" not in done.out


@pytest.mark.libraries
def test_a_process_full_of_libraries(python):
    done = python(ISOLATED / "cycles_of_libraries.py", "process", timeout=300)
    assert (done.code, done.out) == (0, "right\n"), done.err


@pytest.mark.libraries
@pytest.mark.parametrize(
    ("case", "module"), [("figure", "matplotlib.pyplot"), ("hook", "torch")]
)
def test_libraries(warm, case, module):
    done = warm(module).isolated("cycles_of_libraries.py", case)
    assert (done.code, done.out) == (0, "right\n"), done.err


def test_picture_counts_objects_without_their_namespaces():
    first, second, third = (shapes.Thing() for _ in range(3))
    for other in (second, third):
        first.__dict__[f"to_{id(other)}"] = other
        other.__dict__["back"] = first
    snapshot = leakgraph.snapshot()
    cycle = cycle_of(snapshot, snapshot.find(first))
    assert "1 more in this component" in str(cycle.drawing)


def test_a_cycle_made_with_what_is_called_a_node(still):
    """A Cycle can be made of anything: its node is told by more than a name."""
    for _ in range(3):
        thing = shapes.Thing(data=bytearray(MIB))
        thing.itself = thing
    del thing
    row = leakgraph.cycles()[0]
    impostor = type("leakgraph.Node", (), {"__slots__": ()})()
    made = type(row)([impostor if item is row.node else item for item in row])
    with pytest.raises(TypeError, match="no Node"):
        print(made.nodes)
