"""Children of os.fork() do not wait for locks that their parent's threads hold.

An alarm kills a child that waits forever, which fails the test.
"""

import ctypes
import os
import random
import signal
import threading
import traceback

import pytest

import leakgraph

pytestmark = pytest.mark.ends

PATIENCE = 60


def in_child(work):
    """Return the exit status of a child that does the work; -SIGALRM if it waits
    forever.
    """
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(PATIENCE)
        try:
            os._exit(0 if work() else 1)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


class Gate:
    """A point in a call where a thread stops until it may continue."""

    def __init__(self):
        self.came = threading.Event()
        self.may_go_on = threading.Event()

    def __call__(self, *_):
        self.came.set()
        self.may_go_on.wait()
        return 0


class at_work:
    """Let a thread stop half way while the block runs."""

    def __init__(self, work):
        self.gate = Gate()
        self.thread = threading.Thread(target=self.run, args=(work,))

    def run(self, work):
        try:
            work(self.gate)
        finally:
            self.gate.came.set()

    def __enter__(self):
        self.thread.start()
        self.gate.came.wait()

    def __exit__(self, *_):
        self.gate.may_go_on.set()
        self.thread.join()


class Thing:
    """An object that refers to its arguments."""


def component(size):
    """Make objects whose analysis needs igraph."""
    choice = random.Random(size)
    things = [Thing() for _ in range(size)]
    for i, thing in enumerate(things):
        thing.near, thing.far = things[i - 1], choice.choice(things)
    return things[0], things[size // 2]


@pytest.fixture
def held():
    return component(3000)


def captured(things):
    """Take a snapshot; a child asks about its nodes, not about the child's own."""
    snapshot = leakgraph.snapshot()
    return snapshot, [snapshot.find(thing) for thing in things]


def test_a_snapshot_of_the_parent(held):
    """The snapshot's process is not the child."""
    snapshot, _ = captured(held)
    both = f"(pid {os.getpid()}; this is "

    def refused():
        with pytest.raises(leakgraph.Error) as caught:
            snapshot.find(held)
        return f"{both}{os.getpid()})" in str(caught.value)

    assert in_child(refused) == 0


def test_an_analysis_that_a_thread_makes(held):
    snapshot, nodes = captured(held)

    def retained():
        return snapshot.retained(nodes).host > 3000 * 32

    with at_work(lambda gate: snapshot.analyze(progress=gate)):
        assert in_child(retained) == 0
    assert retained()


def test_a_child_of_the_thread_that_analyses(held):
    """The child continues the analysis, which another thread of its own awaits."""
    snapshot, nodes = captured(held)
    children = []
    answers = []

    def ask():
        answers.append(snapshot.retained(nodes))

    def fork_once(*_):
        if not children:
            children.append(os.fork())
        if children == [0]:
            children.append(threading.Thread(target=ask))
            children[1].start()

    try:
        snapshot.analyze(progress=fork_once)
        if children[0] == 0:
            signal.alarm(PATIENCE)
            children[1].join()
            os._exit(0 if answers == [snapshot.retained(nodes)] else 1)
    finally:
        if children[:1] == [0]:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1]) == 0
    assert snapshot.retained(nodes).host > 0


class Read:
    """An object whose memory a reader knows."""


def test_a_reader_that_a_thread_runs():
    """In the child, the parent's readers run no more. The child calls its own."""
    it = Read()
    gates = []

    def reader(it):
        return gates.pop()() or 1000 if gates else 1000

    def take(gate):
        gates.append(gate)
        leakgraph.snapshot()

    def is_read():
        edges = leakgraph.snapshot().find(it).referents()
        return [e.node.size for e in edges if e.node.buffer] == [1000]

    leakgraph.register_buffers(Read, reader=reader)
    try:
        with at_work(take):
            assert not is_read()
            assert in_child(is_read) == 0
        assert is_read()
    finally:
        leakgraph.unregister_buffers(Read)


def test_the_lock_of_the_loader():
    """A thread that lists the loaded libraries holds this lock."""
    libc = ctypes.CDLL(None)
    visit = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 3)
    assert len(leakgraph.snapshot()) > 1000  # whatever is imported for it

    def go_through(gate):
        stop = visit(lambda *_: gate() or 1)
        libc.dl_iterate_phdr(stop, None)

    with at_work(go_through):
        assert in_child(lambda: len(leakgraph.snapshot()) > 1000) == 0


# The time zone's file is a pipe: whoever reads it stops there.
TIME_ZONE = """
import ctypes, os, sys, threading
import leakgraph, test_forked_children
libc = ctypes.CDLL(None)
os.mkfifo("zone")
libc.setenv(b"TZ", os.path.abspath("zone").encode(), 1)
reader = threading.Thread(target=libc.tzset)
reader.start()
writer = os.open("zone", os.O_WRONLY)
print(test_forked_children.in_child(lambda: len(leakgraph.snapshot()) > 1000))
os.close(writer)
reader.join()
"""


def test_the_lock_of_the_time_zone(python):
    path = os.path.dirname(__file__) + ":" + os.environ.get("PYTHONPATH", "")
    done = python("-c", TIME_ZONE, PYTHONPATH=path)
    assert done.out == "0\n", done.err


CHILDREN = 8


def everything(snapshot, nodes):
    """Call everything that takes a lock."""
    return (
        nodes[0].referrers()
        and snapshot.retained(nodes).host > 3000 * 32
        and str(snapshot.top())
    )


def test_children_of_busy_threads(held):
    """Threads capture, analyse and read without a pause while the process forks."""
    shared = [captured(held)]
    over = threading.Event()

    def capture():
        while not over.is_set():
            shared[0] = captured(held)

    def analyse():
        while not over.is_set():
            everything(*shared[0])

    def of_both():
        return everything(*shared[0]) and everything(*captured(held))

    threads = [threading.Thread(target=work) for work in (capture, analyse)]
    for thread in threads:
        thread.start()
    try:
        codes = [in_child(of_both) for _ in range(CHILDREN)]
    finally:
        over.set()
        for thread in threads:
            thread.join()
    assert codes == [0] * CHILDREN
