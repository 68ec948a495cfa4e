"""The answer names references whose cut leaves no cycle."""

from collections import OrderedDict, deque

import pytest
from builds import needs
from shapes import Thing

import leakgraph

pytestmark = [pytest.mark.ends, pytest.mark.small]


#: Other tests leave many cycles, which a search takes long to look through.
OURS = {"min_bytes": 0, "limit": None, "holding": Thing}


class Other(Thing):
    """Also refers to its session."""


def is_cyclic(node):
    return [cycle for cycle in node.snapshot.cycles(**OURS) if node in cycle.nodes]


def look(thing):
    return is_cyclic(leakgraph.snapshot().find(thing))


def test_all_that_are_alike_are_counted():
    session = Thing()
    session.requests = [Thing() for _ in range(5)]
    for request in session.requests:
        request.session = session
    (cycle,) = look(session)
    assert (cycle.cut.label, cycle.cut.alike) == (".session", 4)
    report = str(leakgraph.cycles(**OURS))
    assert "     and 4 more like it: cut them all to leave no cycle\n" in report
    session.requests.append(Other())
    session.requests[-1].session = session
    report = str(leakgraph.cycles(**OURS))
    assert "     and 5 more like it, also of Other: cut them all to" in report
    session.requests.pop()
    for left in (3, 2, 1, 0):
        del session.requests[left].session
        (cycle,) = look(session)
        assert cycle.cut.alike == left
    del session.requests[4].session
    assert look(session) == []


def test_references_of_other_names_are_named_too():
    ring = Thing()
    ring.items = [Thing(), Thing()]
    ring.items[0].parent = ring.items[1].owner = ring
    (cycle,) = look(ring)
    assert {(cut.label, cut.alike) for cut in cycle.cuts} == {
        (".parent", 0),
        (".owner", 0),
    }
    assert cycle.cut == cycle.cuts[0]
    assert {edge.target for edge in cycle.cut_edges} == {cycle.cut.target}
    assert len(cycle.cut_edges) == 2
    assert (cycle.more, cycle.left) == (0, None)


def test_hooks_of_a_module_are_alike():
    module = Thing()
    module.hooks = {step: lambda: module for step in range(7)}
    (cycle,) = look(module)
    assert cycle.cut.label.startswith("[") and cycle.cut.alike == 6


def test_what_cycles_say_to_cut_is_cut_in_a_fork_and_reference_counts_free_all(
    isolated,
):
    done = isolated("cycle_cut_and_gone.py", "40")
    assert done.out.startswith("True: "), done.out + done.err


def test_what_why_says_to_cut_is_cut_in_a_fork_and_the_object_is_gone(isolated):
    done = isolated("cut_and_gone.py", "12")
    assert done.out.startswith("True: "), done.out + done.err


@needs("IPython")
@pytest.mark.libraries
def test_what_why_says_to_cut_of_a_cells_result_frees_it(warm):
    done = warm("IPython.core.interactiveshell").isolated("notebook_cuts.py")
    assert (done.code, done.out.splitlines()[-1]) == (0, "gone"), done.out + done.err


@needs("pydantic")
@pytest.mark.libraries
def test_what_a_frozen_model_does_not_set_is_not_to_be_cut(warm):
    done = warm("pydantic").isolated("frozen_models.py")
    assert done.out.strip() == "all right", done.out + done.err


#: Each program begins with this, so that it forks from a process with that import.
LIBRARIES = {
    "training": "torch._dynamo",
    "figures": "matplotlib.pyplot",
    "frames": "pandas",
}


def cut_of_real_program(run, name, *question):
    done = run("real_programs.py", name, *question)
    assert done.out.splitlines()[-1].startswith("True: "), done.out + done.err


@pytest.mark.parametrize(
    "name", ["parsers", "loggers", "servers", "documents", "futures", "containers"]
)
def test_what_why_says_to_cut_in_real_programs(isolated, name):
    cut_of_real_program(isolated, name, "why", "20")


def test_no_reference_is_advised_that_a_program_can_only_read(isolated):
    cut_of_real_program(isolated, "borrowers", "frees", "40")


class Keeper:
    pass


ITERATORS = {
    "list": lambda thing: iter([thing]),
    "reversed list": lambda thing: reversed([thing]),
    "dict": lambda thing: iter({thing: 1}),
    "values": lambda thing: reversed({1: thing}.values()),
    "ordered dict": lambda thing: iter(OrderedDict(a=thing).items()),
    "set": lambda thing: iter({thing}),
    "deque": lambda thing: iter(deque([thing])),
    "zip": lambda thing: zip([thing]),
    "map": lambda thing: map(print, [thing]),
    "filter": lambda thing: filter(None, [thing]),
    "enumerate": lambda thing: enumerate(zip([thing])),
}


@pytest.mark.parametrize("name", ITERATORS)
def test_what_only_an_iterator_has_is_cut_with_the_iterator(name):
    holder = Keeper()
    holder.iterator = ITERATORS[name](Other())
    with leakgraph.snapshot() as snapshot:
        (thing,) = snapshot.select(f"type:{__name__}.Other")
        (cut,) = snapshot.why(thing).cuts
        assert (cut.label, cut.source) == (".iterator", snapshot.find(holder))


@pytest.mark.parametrize("name", ["loggers", "servers", "containers"])
def test_what_cycles_say_to_cut_in_real_programs(isolated, name):
    cut_of_real_program(isolated, name, "cycles", "10000")


@pytest.mark.libraries
def test_a_cycle_that_the_collector_cannot_free_is_to_be_broken_too():
    numpy = pytest.importorskip("numpy")
    seen, unseen = Thing(), Thing()
    seen.me = seen
    unseen.array = numpy.empty(1, object)
    unseen.array[0] = unseen
    with leakgraph.snapshot() as snapshot:
        assert "collector" not in snapshot.why(snapshot.find(seen)).hint
        why = snapshot.why(snapshot.find(unseen))
        assert "break the cycle, too" in why.hint
        assert why.hint in str(why)


def test_what_cycles_say_of_classes_and_of_objects_tied_to_libraries(isolated):
    done = isolated("tied_programs.py")
    assert done.out.startswith("True: "), done.out + done.err


@pytest.mark.libraries
@pytest.mark.parametrize("name", LIBRARIES)
def test_what_why_says_to_cut_in_programs_of_libraries(warm, name):
    cut_of_real_program(warm(LIBRARIES[name]).isolated, name, "why", "20")


@pytest.mark.libraries
def test_what_cycles_say_to_cut_in_a_training_loop(warm):
    run = warm(LIBRARIES["training"]).isolated
    cut_of_real_program(run, "training", "cycles", "10000")
