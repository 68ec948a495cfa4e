"""Tests behaviour on every CPython, and behaviour that only some builds have."""

import ctypes
import gc
import sys
import threading
import weakref
from pathlib import Path

import pytest
from builds import FREE_THREADED, PUBLIC

import leakgraph

pytestmark = pytest.mark.small


class Thing:
    pass


class Leaky:
    """A class whose instances are counted apart from those of other tests."""


class Watched:
    """An object that runs a callback when it dies."""

    def __init__(self, callback):
        self.callback = callback

    def __del__(self):
        self.callback()


def change_count(name, thing):
    function = getattr(ctypes.pythonapi, name)
    function.argtypes, function.restype = [ctypes.py_object], None
    function(thing)


@pytest.mark.skipif(PUBLIC, reason="the public method sees no frames")
def test_every_face_tells_of_a_leak_in_c(tmp_path):
    instances = [Leaky() for _ in range(100)]
    leaked = instances[3:94:13]
    assert len(leaked) == 7
    for thing in leaked:
        change_count("Py_IncRef", thing)
    try:
        snapshot = leakgraph.snapshot()
        nodes = snapshot.select("type:test_versions.Leaky")
        assert len(nodes) == 100
        unexplained_at = {
            node.address: node.unexplained for node in nodes if node.unexplained
        }
        assert unexplained_at == {id(thing): 1 for thing in leaked}
        natives = {r.node.address for r in snapshot.roots if r.kind == "native"}
        assert natives & {node.address for node in nodes} == set(unexplained_at)
        assert "1 reference" in str(snapshot.show_backrefs(leaked[0]))
        assert "native" in str(snapshot.why(leaked[0]))
        snapshot.save(tmp_path / "leak.lgs")
        with leakgraph.load(tmp_path / "leak.lgs") as again:
            loaded = again.select("type:test_versions.Leaky")
            assert sum(node.unexplained for node in loaded) == 7
    finally:
        for thing in leaked:
            change_count("Py_DecRef", thing)
    assert not any(
        node.unexplained
        for node in leakgraph.snapshot().select("type:test_versions.Leaky")
    )


def test_the_table_of_interned_strings_holds_nothing():
    snapshot = leakgraph.snapshot()
    # Other dicts with weak references belong to thread locals.
    weak = [
        node
        for node in snapshot.select("type:dict")
        if any(
            edge.weak and edge.target.type_name == "str" for edge in node.referents()
        )
    ]
    for table in weak:
        assert all(edge.weak for edge in table.referents() if edge.kind == "value")
        assert not any(edge.counted for edge in table.referents() if edge.weak)
    assert len(weak) <= 1


@pytest.mark.skipif(PUBLIC, reason="counts need the internals")
def test_specialised_calls_hold_nothing():
    class Specialised:
        def __getitem__(self, key):
            return key

        def __init__(self):
            self.attribute = 1

    for _ in range(100):
        Specialised()[1]
    snapshot = leakgraph.snapshot()
    for name in ("__getitem__", "__init__"):
        assert snapshot.find(vars(Specialised)[name]).unexplained == 0


def interpreters():
    """Import the module that makes subinterpreters, by its name in this version."""
    for name in ("_interpreters", "_xxsubinterpreters"):
        try:
            return __import__(name)
        except ImportError:
            continue
    raise AssertionError("no module for subinterpreters")


IN_ANOTHER = """
try:
    import leakgraph._core
except ImportError as error:
    text = str(error)
else:
    text = "imported"
with open({path!r}, "w") as file:
    file.write(text)
"""


def test_a_subinterpreter_is_refused(python, tmp_path):
    path = str(tmp_path / "said")
    script = IN_ANOTHER.format(path=path)
    make = "from test_versions import interpreters\nm = interpreters()\n"
    run = f"n = m.create()\nm.run_string(n, {script!r})\n"
    done = python("-c", make + run, PYTHONPATH=python_path())
    assert done.code == 0, done.err
    text = Path(path).read_text(encoding="utf-8")
    assert "subinterpreter" in text or "main interpreter" in text


def python_path():
    return ":".join(entry for entry in sys.path if entry)


def test_other_interpreters_are_left_out():
    """Objects of other interpreters have no node and cause no crash."""
    module = interpreters()
    other = module.create()
    try:
        snapshot = leakgraph.snapshot()
        assert len([r for r in snapshot.roots if r.kind == "interpreter"]) == 1
        kinds = {r.name for r in snapshot.roots if r.kind == "module"}
        assert len(kinds) == len(set(sys.modules) & kinds)
    finally:
        module.destroy(other)


@pytest.mark.skipif(not FREE_THREADED, reason="the build has its lock")
def test_a_free_threaded_build_stays_without_its_lock(python):
    code = "import sys, leakgraph; leakgraph.snapshot(); print(sys._is_gil_enabled())"
    done = python("-W", "error", "-c", code)
    assert (done.code, done.out) == (0, "False\n"), done.err


@pytest.mark.skipif(not FREE_THREADED, reason="the build can be forked")
def test_a_free_threaded_build_is_not_forked(tmp_path):
    with pytest.raises(leakgraph.UnsupportedError, match="without fork=True"):
        leakgraph.save_snapshot(tmp_path / "no.lgs", fork=True)
    assert list(tmp_path.iterdir()) == []


def test_frozen_objects_that_something_holds_are_seen():
    kept = [Thing()]
    gc.freeze()
    try:
        node = leakgraph.snapshot().find(kept if not PUBLIC else sys.modules)
        assert PUBLIC or node.frozen
        assert node is not None
    finally:
        gc.unfreeze()


@pytest.mark.skipif(PUBLIC, reason="the public method does not see modules' states")
def test_what_became_immortal_is_seen(isolated):
    done = isolated("after_a_thread.py")
    assert (done.code, done.out) == (0, "right\n"), done.err


def churn(stop, failures):
    held = []
    try:
        while not stop.is_set():
            thing = Thing()
            thing.attribute = {str(len(held)): held}
            setattr(thing, f"name{len(held) % 40}", (thing, [thing]))
            held.append(thing)
            if len(held) > 500:
                # The test collects mostly by hand, because a free-threaded build's
                # collector does not keep up with four threads.
                for kept in held[20:]:
                    vars(kept).clear()
                held.clear()
    except Exception as error:
        failures.append(error)


@pytest.fixture
def four_threads():
    """Change the heap in four threads while the test runs."""
    stop, failures = threading.Event(), []
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    workers = [threading.Thread(target=churn, args=(stop, failures)) for _ in range(4)]
    for worker in workers:
        worker.start()
    yield
    stop.set()
    for worker in workers:
        worker.join()
    sys.setswitchinterval(interval)
    assert failures == []


def test_snapshots_while_four_threads_change_the_heap(four_threads):
    for _ in range(20):
        with leakgraph.snapshot() as snapshot:
            assert len(snapshot) > 1000
            assert len([r for r in snapshot.roots if r.kind == "thread"]) >= 5


def ring(make):
    one = make()
    one.itself = one


ENOUGH = 3


def test_snapshots_from_the_collector_and_from_finalisers(four_threads):
    """gc.callbacks, __del__ and callbacks of weak references take snapshots, in all
    threads.
    """
    taken = {"start": 0, "stop": 0, "del": 0, "weakref": 0}
    busy = threading.Lock()

    def take(what):
        if taken[what] < ENOUGH and busy.acquire(blocking=False):
            try:
                taken[what] += len(leakgraph.snapshot()) > 1000
            finally:
                busy.release()

    def on_collection(phase, info):
        take(phase)

    gc.callbacks.append(on_collection)
    try:
        for _ in range(200_000):
            ring(lambda: Watched(lambda: take("del")))
            thing = Thing()
            thing.itself = thing
            watch = weakref.ref(thing, lambda _: take("weakref"))
            del thing
            gc.collect(0)
            gc.collect()
            with busy:  # a collection in another thread prevents this one
                pass
            if all(count == ENOUGH for count in taken.values()):
                break
        del watch
    finally:
        gc.callbacks.remove(on_collection)
    assert all(count == ENOUGH for count in taken.values()), taken


def test_two_threads_may_ask_at_once(four_threads):
    sizes = []

    def ask():
        for _ in range(5):
            sizes.append(len(leakgraph.snapshot()))

    askers = [threading.Thread(target=ask) for _ in range(2)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert len(sizes) == 10 and min(sizes) > 1000
