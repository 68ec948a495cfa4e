"""The counts of references that only native code can hold are exact."""

import atexit
import ctypes
import os
import signal
import subprocess
import sys
import threading
import weakref

import pytest

import leakgraph

pytestmark = [
    pytest.mark.skipif(
        os.environ.get("LEAKGRAPH_CAPTURE") == "public",
        reason="the public method sees no frames, so locals look unexplained",
    ),
    pytest.mark.small,
]


class Leaky:
    pass


def leak(thing, times):
    increment = ctypes.pythonapi.Py_IncRef
    increment.argtypes = [ctypes.py_object]
    increment.restype = None
    for _ in range(times):
        increment(thing)


def unleak(thing, times):
    decrement = ctypes.pythonapi.Py_DecRef
    decrement.argtypes = [ctypes.py_object]
    decrement.restype = None
    for _ in range(times):
        decrement(thing)


LEAKIES = [Leaky() for _ in range(100)]


def test_a_leak_in_c_is_found_with_its_exact_count():
    leaked = {7: 1, 21: 3, 33: 1, 50: 2, 64: 5, 77: 1, 99: 40}
    for index, times in leaked.items():
        leak(LEAKIES[index], times)
    try:
        snapshot = leakgraph.snapshot()
        rests = [snapshot.find(thing).unexplained for thing in LEAKIES]
    finally:
        for index, times in leaked.items():
            unleak(LEAKIES[index], times)
    assert {i: rest for i, rest in enumerate(rests) if rest} == leaked


def test_native_holders_are_roots():
    leak(LEAKIES[3], 1)
    try:
        snapshot = leakgraph.snapshot()
        natives = {root.node for root in snapshot.roots if root.kind == "native"}
        assert snapshot.find(LEAKIES[3]) in natives
        assert snapshot.find(LEAKIES[4]) not in natives
    finally:
        unleak(LEAKIES[3], 1)


class Server:
    def __init__(self):
        self.data = bytearray(100_000)

    def stop(self, *arguments, **options):
        pass


def test_handlers_of_atexit_are_named():
    server = Server()
    known = weakref.ref(server)
    atexit.register(server.stop, [server], key="value")
    del server
    try:
        snapshot = leakgraph.snapshot()
        (node,) = snapshot.select(f"type:{__name__}.Server")
        why = str(snapshot.why(node))
    finally:
        atexit.unregister(known().stop)
    assert known() is None
    assert node.unexplained == 0
    assert "atexit" in why
    named = sys.version_info >= (3, 10)
    assert ("atexit handlers" in why) == named
    assert not named or "No program can cut" not in why


def readline_hook(name):
    def install(function):
        import readline

        getattr(readline, name)(function)

    return install


HOOKS = {
    "profile function": (sys.setprofile, "sys.setprofile(None)"),
    "trace function": (sys.settrace, "sys.settrace(None)"),
    "async_gen_firstiter": (
        lambda hook: sys.set_asyncgen_hooks(firstiter=hook),
        "sys.set_asyncgen_hooks(None, None)",
    ),
    "async_gen_finalizer": (
        lambda hook: sys.set_asyncgen_hooks(finalizer=hook),
        "sys.set_asyncgen_hooks(None, None)",
    ),
    "completer": (readline_hook("set_completer"), "readline.set_completer(None)"),
    "startup_hook": (
        readline_hook("set_startup_hook"),
        "readline.set_startup_hook(None)",
    ),
    "pre_input_hook": (
        readline_hook("set_pre_input_hook"),
        "readline.set_pre_input_hook(None)",
    ),
    "completion_display_matches_hook": (
        readline_hook("set_completion_display_matches_hook"),
        "readline.set_completion_display_matches_hook(None)",
    ),
}


@pytest.mark.parametrize("label", HOOKS)
def test_what_the_interpreter_holds_for_a_program_can_be_cut(label):
    """The advice is the call that frees it, in the thread that has the hook."""
    install, call = HOOKS[label]
    if call.startswith("readline"):
        pytest.importorskip("readline")
    result = {}

    def hold():
        server = Server()
        known = weakref.ref(server)
        install(server.stop)
        del server
        snapshot = leakgraph.snapshot()
        (node,) = snapshot.select(f"type:{__name__}.Server")
        result["why"] = snapshot.why(node)
        result["held"] = known() is not None
        exec(f"import sys\nif 'readline' in {call!r}: import readline\n{call}")
        result["freed"] = known() is None

    thread = threading.Thread(target=hold)
    thread.start()
    thread.join()
    text = str(result["why"])
    assert result["held"] and result["freed"]
    assert result["why"].node.unexplained == 0
    assert f"↓ {label}\n│      {'~' * len(label)}\n" in text
    assert "No program can cut" not in text
    assert call in result["why"].hint
    assert result["why"].hint in text


class Handler:
    def __init__(self):
        self.data = bytearray(100_000)

    def __call__(self, number, frame):
        pass


def test_handlers_of_signals_are_named():
    handler = Handler()
    known = weakref.ref(handler)
    before = signal.signal(signal.SIGUSR1, handler)
    signal.signal(signal.SIGUSR2, handler)
    del handler
    try:
        snapshot = leakgraph.snapshot()
        (node,) = snapshot.select(f"type:{__name__}.Handler")
        why = snapshot.why(node)
        labels = [cut.label for cut in why.cuts]
    finally:
        signal.signal(signal.SIGUSR1, before or signal.SIG_DFL)
        signal.signal(signal.SIGUSR2, signal.SIG_DFL)
    assert known() is None
    assert node.unexplained == 0
    assert sorted(labels) == [
        f"signal handler {int(number)}"
        for number in sorted((signal.SIGUSR1, signal.SIGUSR2))
    ]
    assert "signal.signal(N, signal.SIG_DFL)" in why.hint
    assert "native code" not in str(why)


def test_a_module_that_poses_as_that_of_signals_is_not_asked(monkeypatch):
    import _signal

    asked = []
    monkeypatch.setattr(_signal, "getsignal", asked.append)
    leakgraph.snapshot()
    assert asked == []


#: The handler begins a mapping of its own, which nobody may write to.
READ_ONLY = """
import ctypes, mmap, signal
import leakgraph

class Handler(bytes):
    __slots__ = ()
    def __call__(self, number, frame): pass

signal.signal(signal.SIGUSR1, Handler(1 << 20))
address = id(signal.getsignal(signal.SIGUSR1))
protect = ctypes.CDLL(None).mprotect
protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
page = address - address % mmap.PAGESIZE
leakgraph.snapshot()
assert protect(page, mmap.PAGESIZE, mmap.PROT_READ) == 0
snapshot = leakgraph.snapshot()
assert protect(page, mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_WRITE) == 0
print(snapshot.find(signal.getsignal(signal.SIGUSR1)).unexplained)
"""


def test_a_capture_writes_to_no_handler_of_a_signal(python):
    done = python("-c", READ_ONLY)
    assert (done.code, done.out) == (0, "0\n"), done.err


@pytest.mark.parametrize(
    "register", ["os.register_at_fork(before=hold)", "sys.addaudithook(hold)"]
)
def test_what_is_registered_for_good_cannot_be_cut(register):
    script = (
        "import functools, os, sys, leakgraph\n"
        "class Kept: pass\n"
        "def register(hold):\n"
        f"    {register}\n"
        "register(functools.partial(lambda *_: None, Kept()))\n"
        "snapshot = leakgraph.snapshot()\n"
        "print(snapshot.why(*snapshot.select('type:__main__.Kept')))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert "No program can cut this path: interpreter state" in result.stdout
    assert "~" not in result.stdout
