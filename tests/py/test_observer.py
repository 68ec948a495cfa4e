"""A snapshot changes nothing, and runs no code of the objects that it reads."""

import array
import gc
import sys
import threading
from pathlib import Path

import pytest
from builds import FREE_THREADED, PUBLIC

import leakgraph

pytestmark = pytest.mark.small

ISOLATED = Path(__file__).parent / "isolated"


class Attributes:
    pass


class Pair:
    def __init__(self):
        self.first, self.second = [1], [2]


def has_dict(thing):
    """Whether the instance's __dict__ exists as an object; this does not make it."""
    return any(type(referent) is dict for referent in gc.get_referents(thing))


def counts(things):
    return [sys.getrefcount(thing) for thing in things]


@pytest.fixture
def quiet():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def test_reference_counts_stay(quiet):
    things = [object(), [1], {"a": 2}, (3,), Attributes, counts, sys, "text" * 3]
    if FREE_THREADED:
        leakgraph.snapshot()  # a stop of all threads adds up what each has counted
    before = counts(things)
    leakgraph.snapshot()
    assert counts(things) == before


@pytest.mark.skipif(
    sys.version_info < (3, 11), reason="every instance has a __dict__ before 3.11"
)
def test_no_instance_gets_a_dict(quiet):
    things = [Pair() for _ in range(100)]
    assert not any(map(has_dict, things))
    leakgraph.snapshot()
    assert not any(map(has_dict, things))


def test_an_existing_dict_stays(quiet):
    thing = Attributes()
    thing.first = [1]
    namespace = thing.__dict__
    leakgraph.snapshot()
    assert thing.__dict__ is namespace
    assert namespace == {"first": [1]}


def of_type(kind):
    return sum(type(thing) is kind for thing in gc.get_objects())


def test_nothing_new_is_tracked(quiet):
    leakgraph.snapshot().close()
    before = len(gc.get_objects())
    leakgraph.snapshot().close()
    assert len(gc.get_objects()) == before


@pytest.mark.skipif(PUBLIC, reason="the public method makes a list of all objects")
def test_no_block_is_left_allocated(quiet):
    """What a capture leaves, each one leaves: a cache may grow during one of them."""
    import tracemalloc  # whose own memory each capture asks for

    assert not tracemalloc.is_tracing()
    rounds = 12
    blocks = array.array("q", [0] * (rounds + 1))  # new ints would also be blocks
    for number in range(rounds + 1):
        leakgraph.snapshot().close()
        blocks[number] = sys.getallocatedblocks()
    assert min(after - before for before, after in zip(blocks, blocks[1:])) <= 0


@pytest.mark.skipif(PUBLIC, reason="the public method makes a list of all objects")
def test_names_leave_no_block(quiet, tmp_path):
    """CPython's cache of attributes would keep each name that a call makes."""
    path = tmp_path / "{pid}.lgs"
    rounds = 8
    blocks = array.array("q", [0] * (rounds + 1))
    for number in range(rounds + 1):
        leakgraph.save_snapshot(path)
        blocks[number] = sys.getallocatedblocks()
    assert blocks[rounds] - blocks[2] < rounds - 2


def test_showing_progress_imports_nothing(python):
    code = """
import gc  # which the public method imports
import sys
import leakgraph
heap = [[number] for number in range(1_000_000)]
modules = set(sys.modules)
leakgraph.snapshot(progress=True).analyze(progress=True)
print(set(sys.modules) - modules)
"""
    done = python("-c", code)
    assert "leakgraph: " in done.err
    assert done.out == "set()\n"


def test_no_frame_object_is_made(quiet):
    kind = type(sys._getframe())
    entered, leave = threading.Event(), threading.Event()

    def wait():
        local = [1]
        entered.set()
        leave.wait()
        return local

    worker = threading.Thread(target=wait)
    worker.start()
    entered.wait()
    before = of_type(kind)
    leakgraph.snapshot()
    assert of_type(kind) == before
    leave.set()
    worker.join()


def test_the_collector_stays_as_it_was():
    gc.collect()
    collections = [generation["collections"] for generation in gc.get_stats()]
    enabled, threshold = gc.isenabled(), gc.get_threshold()
    leakgraph.snapshot()
    assert (gc.isenabled(), gc.get_threshold()) == (enabled, threshold)
    after = [generation["collections"] for generation in gc.get_stats()]
    assert after[2] == collections[2]


CALLS = []


def count(name, answer=None):
    def method(self, *arguments):
        CALLS.append(name)
        if answer is None:
            raise RuntimeError(name)
        return answer

    return method


class HostileMeta(type):
    __eq__ = count("meta eq")
    __repr__ = count("meta repr")
    __getattribute__ = count("meta getattribute")
    __instancecheck__ = count("meta instancecheck")
    __hash__ = type.__hash__


class Hostile(metaclass=HostileMeta):
    def __init__(self):
        object.__setattr__(self, "attribute", [1])

    __class__ = property(count("class"))
    __dict__ = property(count("dict"))
    __sizeof__ = count("sizeof")
    __getattr__ = count("getattr")
    __getattribute__ = count("getattribute")
    __eq__ = count("eq")
    __hash__ = count("hash", 7)
    __repr__ = count("repr")
    __str__ = count("str")
    __len__ = count("len")
    __iter__ = count("iter")
    __bool__ = count("bool")
    __del__ = count("del", 1)


class HostileStr(str):
    __eq__ = count("str eq")
    __hash__ = count("str hash", 7)
    __repr__ = count("str repr")
    __str__ = count("str str")
    __sizeof__ = count("str sizeof")


class HostileInt(int):
    __index__ = count("index")
    __int__ = count("int")
    __eq__ = count("int eq")
    __hash__ = count("int hash", 7)
    __repr__ = count("int repr")


def hostile_heap():
    one = Hostile()
    key, number = HostileStr("key"), HostileInt(7)
    namespace = {key: one}
    CALLS.clear()
    return [one, key, number, {number: one}, {one: 1}, namespace, {one}]


@pytest.mark.parametrize("previews", [False, True])
def test_hostile_objects_are_never_called(quiet, previews):
    held = hostile_heap()
    CALLS.clear()
    with leakgraph.snapshot(previews=previews) as snapshot:
        assert CALLS == []
        assert len(snapshot) > 1000
    assert CALLS == []
    del held


def test_a_bounded_walk_calls_nothing_either(quiet):
    held = hostile_heap()
    CALLS.clear()
    leakgraph.show_refs(held).dot
    assert CALLS == []


def test_a_hostile_module_name_is_read_as_text():
    namespace = {"__name__": HostileStr("leakgraph.fake")}
    exec("def frame(take):\n    return take()\n", namespace)
    CALLS.clear()
    namespace["frame"](leakgraph.snapshot)
    assert CALLS == []


def test_half_built_instances_are_swept(python):
    done = python(ISOLATED / "half_built.py", timeout=300)
    assert done.code == 0, done.err
    kinds, made, found, wrong = done.out.split(maxsplit=3)
    assert int(kinds) > 1000
    assert int(made) > 800
    assert PUBLIC or int(found) >= int(made)
    assert wrong == "[]\n"


def test_code_of_any_bytes_is_read(python):
    done = python(ISOLATED / "odd_code.py")
    assert (done.code, done.out) == (0, "True True\n"), done.err


def test_modules_that_take_turns_keep_nobody_waiting(python):
    done = python(ISOLATED / "modules_in_turn.py", timeout=60)
    assert (done.code, done.out) == (0, "True\n"), done.err


def test_threads_may_change_the_heap_meanwhile():
    stop = threading.Event()
    failures = []

    def churn():
        held = []
        try:
            while not stop.is_set():
                thing = Attributes()
                thing.attribute = {str(len(held)): held}
                held.append(thing)
                if len(held) > 1000:
                    held.clear()
        except Exception as error:
            failures.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    workers = [threading.Thread(target=churn) for _ in range(2)]
    for worker in workers:
        worker.start()
    try:
        for _ in range(30):
            with leakgraph.snapshot() as snapshot:
                assert len(snapshot) > 1000
    finally:
        stop.set()
        for worker in workers:
            worker.join()
        sys.setswitchinterval(interval)
    assert failures == []


def test_a_finaliser_may_take_a_snapshot():
    taken = []

    class Watched:
        def __del__(self):
            taken.append(len(leakgraph.snapshot()))

    def ring():
        one = Watched()
        one.itself = one

    ring()
    gc.collect()
    assert len(taken) == 1
    assert taken[0] > 1000


@pytest.mark.skipif(PUBLIC, reason="gc.get_objects() cannot see frozen objects")
def test_frozen_objects_are_seen():
    frozen = [Attributes()]
    gc.freeze()
    try:
        with leakgraph.snapshot() as snapshot:
            node = snapshot.find(frozen)
            assert node is not None
            assert node.frozen
    finally:
        gc.unfreeze()
