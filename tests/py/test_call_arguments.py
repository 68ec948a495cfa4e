"""The tuple and the dict of the capturing call, f(*args, **kwargs), hold nothing."""

import functools
import gc
import operator
import sys
import threading

import pytest
from builds import FREE_THREADED, PUBLIC

import leakgraph

pytestmark = [
    pytest.mark.skipif(PUBLIC, reason="the public method sees no frames"),
    pytest.mark.skipif(
        FREE_THREADED, reason="a free-threaded build shows the calling frame's tuple"
    ),
]

SIZE = 100_000
QUIET = {"progress": False}
NOTHING: dict = {}


class Owner:
    pass


class Load:
    pass


def make():
    owner = Owner()
    owner.load = Load()
    owner.load.data = bytearray(SIZE)
    return owner


owner = make()


def plainly():
    return leakgraph.why(owner.load)


def with_a_dict():
    return leakgraph.why(owner.load, **NOTHING)


def with_an_option():
    return leakgraph.why(owner.load, **QUIET)


def with_a_list():
    return leakgraph.why(*[owner.load])


def with_a_fresh_tuple():
    return leakgraph.why(*(owner.load,))


def with_both():
    return leakgraph.why(*[owner.load], **QUIET)


def within_a_call():
    return max(id, *[len], key=lambda one: 0) and leakgraph.why(*(owner.load,), **QUIET)


@pytest.mark.parametrize(
    "ask",
    [
        plainly,
        with_a_dict,
        with_an_option,
        with_a_list,
        with_a_fresh_tuple,
        with_both,
        within_a_call,
    ],
)
def test_only_the_owner_holds_it(ask):
    why = ask()
    assert why.path.labels[-1] == ".load" and why.cut_count == 1
    assert [hop.label for hop in why.frees][-1] == ".load"
    assert why.kept is None and "native code" not in str(why)
    assert why.dominator.type_name.endswith(".Owner")


def by_a_partial():
    return functools.partial(leakgraph.why, owner.load)()


def by_a_partial_of_a_partial():
    return functools.partial(functools.partial(leakgraph.why), owner.load)()


def by_a_method_caller():
    return operator.methodcaller("why", owner.load)(leakgraph)


def by_a_map():
    (why,) = list(map(leakgraph.why, [owner.load]))
    return why


def by_the_next_of_a_map():
    return next(filter(None, map(leakgraph.why, (owner.load,))))


def by_a_loop():
    for why in map(leakgraph.why, (owner.load,)):
        return why


@pytest.mark.skipif(
    sys.version_info >= (3, 14), reason="the frame's stack is visible, and holds it"
)
@pytest.mark.parametrize(
    "ask",
    [
        by_a_partial,
        by_a_partial_of_a_partial,
        by_a_method_caller,
        by_a_map,
        by_the_next_of_a_map,
        by_a_loop,
    ],
)
def test_what_passes_the_call_on_holds_nothing(ask):
    test_only_the_owner_holds_it(ask)


@pytest.mark.skipif(
    sys.version_info >= (3, 14), reason="the frame's stack is visible, and holds it"
)
def test_what_passes_the_call_on_holds_if_somebody_has_it():
    call = functools.partial(leakgraph.why, owner.load)
    items = map(leakgraph.why, [owner.load])
    for why in (call(), next(items)):
        assert "local call" in str(why) and "native code" not in str(why)
    del call, items


def test_pictures_leave_them_out():
    for options in ({}, {"max_depth": 2}, {"max_depth": 2, "title": "one" * 9}):
        text = leakgraph.show_backrefs(owner.load, **options).text
        assert "tuple" not in text and "native code" not in text
        assert "Owner" in text


def forward(*args, **options):
    """Pass on everything, as wrappers do."""
    return leakgraph.show_backrefs(*args, **options)


@pytest.mark.skipif(
    sys.version_info < (3, 11), reason="frames of callers hide their stacks before 3.11"
)
def test_a_wrapper_holds_its_own_tuple():
    text = forward(owner.load, max_depth=1).text
    assert "native code" not in text
    assert "local args" in text or "tuple of 1  [0]" in text
    assert text.count("tuple") == 1


def referrers(snapshot):
    node = snapshot.find(owner.load)
    return node, {edge.node.type_name for edge in node.referrers()}


def test_a_tuple_that_a_variable_has_stays():
    options = {"progress": False}
    args = (owner.load,)
    for why in (leakgraph.why(*args), leakgraph.why(*args, **options)):
        assert why.cut_count == 2 and why.kept is None
        assert "native code" not in str(why)
    del args


@pytest.fixture
def still():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def unexplained(snapshot):
    return {node.label for node in snapshot.nodes if node.unexplained}


@pytest.mark.usefixtures("still")
def test_a_snapshot_is_the_same_with_options_from_a_dict():
    plain = leakgraph.snapshot(progress=False, previews=False)
    options = {"progress": False, "previews": False}
    starred = leakgraph.snapshot(*(), **options)
    assert unexplained(starred) <= unexplained(plain) | {"str 'plain'", "str 'options'"}
    for snapshot in (plain, starred):
        node, types = referrers(snapshot)
        assert node.unexplained == 0 and "tuple" not in types
        assert snapshot.find(owner).retained.total > SIZE
        assert all(one.unexplained >= 0 for one in snapshot.select("type:tuple"))


def test_a_fresh_tuple_of_the_program_stays():
    kept = []
    kept.append((owner.load, "mine"))
    first = leakgraph.why(*[owner.load], **QUIET)
    second = leakgraph.why(owner.load, **NOTHING)
    assert first.cut_count == second.cut_count == 2
    del kept


def test_arguments_of_another_thread_stay():
    entered, leave = threading.Event(), threading.Event()

    def wait(*args, **options):
        entered.set()
        leave.wait()

    load = Load()
    worker = threading.Thread(target=wait, args=(load,), kwargs={"also": load})
    worker.start()
    entered.wait()
    try:
        snapshot = leakgraph.snapshot(**QUIET)
        assert "tuple" in {
            edge.node.type_name for edge in snapshot.find(load).referrers()
        }
    finally:
        leave.set()
        worker.join()
