"""leakgraph.arm(): snapshots on a signal, when memory runs short, at exit."""

import os
import signal
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from builds import needs_fork

import leakgraph
from leakgraph import armed, shortage
from leakgraph.signals import Ear

pytestmark = pytest.mark.ends

HERE = Path(__file__).parent
ALL = {"signal": None, "on_oom": False, "rss": None, "at_exit": False}


def until(condition):
    """Wait for what must come. A minute is for a very busy machine."""
    for _ in range(6000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it did not come")


def names(folder):
    return sorted(path.name for path in folder.glob("*.lgs"))


@contextmanager
def arming(path, **options):
    """Arm on nothing but what the test asks for."""
    with leakgraph.arm(path, **{**ALL, **options}) as it:
        yield it


@contextmanager
def handling(number, handler):
    old = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, old)


@pytest.mark.parametrize("name", ["SIGURG", "urg", int(signal.SIGURG)])
def test_on_a_signal(tmp_path, capsys, name):
    with arming(tmp_path / "x-{pid}-{n}.lgs", signal=name) as it:
        assert "SIGURG" in repr(it)
        os.kill(os.getpid(), signal.SIGURG)
        until(lambda: it.snapshots)
    (info,) = it.snapshots
    assert info.path == str(tmp_path / f"x-{os.getpid()}-1.lgs")
    assert len(leakgraph.load(info.path)) == info.nodes
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert info.path in message and "on SIGURG" in message
    assert repr(it) == "<leakgraph.Armed: disarmed>"


def test_the_last_number_is_a_real_time_one(tmp_path):
    with arming(tmp_path / "x.lgs", signal=int(signal.SIGRTMIN) + 3) as it:
        os.kill(os.getpid(), signal.SIGRTMIN + 3)
        until(lambda: it.snapshots)
    assert names(tmp_path) == ["x.lgs"]


def test_while_native_code_does_not_return(python):
    """The main thread waits for a lock that nobody opens."""
    code = """
import ctypes, os, signal, threading, time
import leakgraph
it = leakgraph.arm("x.lgs", rss=None)
def end():
    os.kill(os.getpid(), signal.SIGURG)
    while not it.snapshots:
        time.sleep(0.01)
    os._exit(7)
threading.Thread(target=end).start()
libc = ctypes.CDLL(None)
mutex = ctypes.create_string_buffer(64)
libc.pthread_mutex_lock(mutex)
libc.pthread_mutex_lock(mutex)
"""
    done = python("-c", code)
    assert done.code == 7, done.err
    assert len(leakgraph.load(done.folder / "x.lgs").threads()) > 0


def test_a_handler_that_was_there_is_called(tmp_path):
    heard = []
    with handling(signal.SIGURG, lambda *_: heard.append(1)):
        with arming(tmp_path / "x.lgs", signal="SIGURG") as it:
            os.kill(os.getpid(), signal.SIGURG)
            until(lambda: it.snapshots and heard)
        os.kill(os.getpid(), signal.SIGURG)
        until(lambda: len(heard) == 2)
    assert len(it.snapshots) == 1


def test_a_handler_put_on_top_stays(tmp_path):
    heard = []
    with arming(tmp_path / "x.lgs", signal="SIGURG") as it:
        old = signal.signal(signal.SIGURG, lambda *_: heard.append(1))
    os.kill(os.getpid(), signal.SIGURG)
    until(lambda: heard)
    signal.signal(signal.SIGURG, old)
    assert not it.snapshots


def test_two_that_call_each_other(python):
    """faulthandler calls the previous handler, which calls faulthandler."""
    code = """
import faulthandler, os, signal, sys, time
import leakgraph
for round in range(3):
    it = leakgraph.arm("x-{n}.lgs", rss=None)
    faulthandler.register(signal.SIGURG, file=sys.stdout, chain=True)
    os.kill(os.getpid(), signal.SIGURG)
    while not it.snapshots:
        time.sleep(0.01)
    leakgraph.disarm()
"""
    done = python("-c", code)
    assert done.code == 0, done.err
    assert done.err.count("saved to") == 3
    assert done.out.count("most recent call first") >= 3


def test_disarmed_the_signal_is_what_it_was(python):
    code = """
import os, signal
import leakgraph
with leakgraph.arm("x.lgs", signal="SIGUSR2"):
    pass
os.kill(os.getpid(), signal.SIGUSR2)
"""
    assert python("-c", code).code == -signal.SIGUSR2


# It pauses after each 8 MiB, because it would fill all between two looks.
LEAK = """
import resource, sys, time
import leakgraph
which = getattr(resource, sys.argv[1])
if len(sys.argv) > 2:
    resource.setrlimit(which, (600 << 20, 600 << 20))
it = leakgraph.arm("x.lgs", on_oom=False, signal=None)
resource.setrlimit(which, (600 << 20, 600 << 20))
rows = []
while not it.snapshots:
    rows.append("x" * 1000 + str(len(rows)))
    if len(rows) % 8000 == 0:
        time.sleep(0.02)
print(len(rows) > 1000)
"""


@needs_fork
@pytest.mark.parametrize(
    ("which", "shell"), [("RLIMIT_AS", "ulimit -v"), ("RLIMIT_DATA", "ulimit -d")]
)
@pytest.mark.parametrize("before", [True, False])
def test_a_limit_of_addresses_is_watched(python, which, shell, before):
    done = python("-c", LEAK, which, *["before"] * before)
    assert (done.code, done.out) == (0, "True\n"), done.err
    first, second = done.err.splitlines()
    assert first.startswith(
        f"leakgraph: {shell} limits this process to 0.59 GiB of addresses; a snapshot"
    )
    assert " GiB in use" in second
    (rows,) = leakgraph.load(done.folder / "x.lgs").select("name:__main__.rows")
    assert rows.type_name == "list"


TINY = """
import resource, time
import leakgraph
resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))
it = leakgraph.arm("x.lgs", on_oom=False, signal=None)
rows = []
while it._alarm._heard_at is None:
    rows.append(object())
    if len(rows) % 50_000 == 0:
        time.sleep(0.02)
it.disarm()
print(len(it.snapshots))
"""


@needs_fork
def test_a_snapshot_of_tiny_objects_comes_while_it_finds_addresses(python):
    done = python("-c", TINY)
    assert (done.code, done.out) == (0, "1\n"), done.err


def test_no_memory_for_a_snapshot_is_told_with_what_to_do(tmp_path, capsys):
    def fail(path, **options):
        raise MemoryError("memory ran out")

    with arming(tmp_path / "x.lgs") as it:
        it._series._save = fail
        it._series.take("MemoryError")
    assert capsys.readouterr().err == (
        "leakgraph: no snapshot was saved on MemoryError: memory ran out; set rss="
        " (--rss) lower, so that one is saved earlier\n"
    )


def test_whoever_is_not_armed_ignores_the_default_signal(python):
    code = "import os, signal; os.kill(os.getpid(), signal.SIGURG); print('lives')"
    assert python("-c", code).out == "lives\n"


def test_a_handler_put_on_top_is_told_once(capsys):
    ear = Ear(signal.SIGUSR2)
    assert not ear.wait(0) and capsys.readouterr().err == ""
    with handling(signal.SIGUSR2, lambda *_: None):
        assert not ear.wait(0)
        assert capsys.readouterr().err == (
            "leakgraph: the program has set its own handler of SIGUSR2, so leakgraph"
            " may not get that signal; choose another one with signal=, or --signal\n"
        )
        assert not ear.wait(0) and capsys.readouterr().err == ""
    ear.close()
    ear.drain()


def test_from_another_thread(tmp_path):
    """signal.signal() would refuse here."""
    result = []

    def work():
        result.append(leakgraph.arm(tmp_path / "x.lgs", rss=None))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    os.kill(os.getpid(), signal.SIGURG)
    until(lambda: result[0].snapshots)
    leakgraph.disarm()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"signal": "SIGNONE"}, leakgraph.ArgumentError, "SIGNONE"),
        ({"signal": "SIGSEGV"}, leakgraph.ArgumentError, "cannot be used"),
        ({"signal": 0}, leakgraph.ArgumentError, "cannot be used"),
        ({"signal": 1 << 40}, leakgraph.ArgumentError, "cannot be used"),
        ({"signal": True}, leakgraph.ArgumentError, "a name or a number, not True"),
        ({"signal": "SIGKILL"}, leakgraph.ArgumentError, "No program can handle"),
        ({"rss": "lots"}, leakgraph.ArgumentError, "90%"),
        ({"rss": "200%"}, leakgraph.ArgumentError, "90%"),
        ({"rss": 0}, leakgraph.ArgumentError, "1 MiB or more, not 0"),
        ({"rss": (1 << 20) - 1}, leakgraph.ArgumentError, "1 MiB or more"),
        ({"rss": "12"}, leakgraph.ArgumentError, "give a unit"),
        ({"rss": True}, leakgraph.ArgumentError, "rss must be bytes.*not True"),
        ({"rss": False}, leakgraph.ArgumentError, "rss must be bytes.*not False"),
        ({"rss": "1.5"}, leakgraph.ArgumentError, "rss must be bytes.*'1.5'"),
        ({"rss": "0.9"}, leakgraph.ArgumentError, "rss must be bytes.*'0.9'"),
        ({"rss": "1e999"}, leakgraph.ArgumentError, "rss must be bytes"),
        ({"keep": 0}, leakgraph.ArgumentError, "keep"),
        ({"path": "/no/such/folder/x.lgs"}, FileNotFoundError, "/no/such/folder"),
    ],
)
def test_what_makes_no_sense(tmp_path, options, error, message):
    hooks = sys.excepthook, threading.excepthook, signal.getsignal(signal.SIGURG)
    with pytest.raises(error, match=message):
        leakgraph.arm(**{"path": tmp_path / "x.lgs", **options})
    assert hooks == (
        sys.excepthook,
        threading.excepthook,
        signal.getsignal(signal.SIGURG),
    )
    assert armed._armed is None
    leakgraph.disarm()


def test_the_least_memory_that_a_snapshot_may_be_saved_at(tmp_path):
    with arming(tmp_path / "x.lgs", rss=1 << 20) as it:
        assert "0.00 GiB in use" in repr(it)


def test_arming_again_replaces(tmp_path):
    first = leakgraph.arm(tmp_path / "a.lgs", rss=None)
    second = leakgraph.arm(tmp_path / "b.lgs", rss=None)
    os.kill(os.getpid(), signal.SIGURG)
    until(lambda: second.snapshots)
    leakgraph.disarm()
    assert not first.snapshots and "disarmed" in repr(first)
    assert names(tmp_path) == ["b.lgs"]


def test_no_ring_is_left_over(tmp_path):
    """What ends one watcher does not end the next one."""
    for _ in range(20):
        with arming(tmp_path / "x.lgs", signal="SIGURG") as it:
            pass
    with arming(tmp_path / "x.lgs", signal="SIGURG") as it:
        os.kill(os.getpid(), signal.SIGURG)
        until(lambda: it.snapshots)
        os.kill(os.getpid(), signal.SIGURG)
        until(lambda: len(it.snapshots) == 2)
    assert len(it.snapshots) == 2


def test_the_newest_are_kept(tmp_path):
    (tmp_path / "x-2.lgs").write_text("not ours")
    with arming(tmp_path / "x-{n}.lgs", keep=2) as it:
        for _ in range(4):
            it._series.take("test")
    assert names(tmp_path) == ["x-2.lgs", "x-4.lgs", "x-5.lgs"]
    assert (tmp_path / "x-2.lgs").read_text() == "not ours"
    assert [os.path.basename(info.path) for info in it.snapshots] == [
        "x-4.lgs",
        "x-5.lgs",
    ]


def test_one_name_is_written_again(tmp_path):
    with arming(tmp_path / "x.lgs", keep=1) as it:
        for _ in range(3):
            it._series.take("test")
    assert names(tmp_path) == ["x.lgs"]


def test_a_relative_path_stays_where_it_was(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with arming("x.lgs") as it:
        monkeypatch.chdir("/")
        it._series.take("test")
    assert names(tmp_path) == ["x.lgs"]


def test_options_reach_the_snapshot(tmp_path):
    with arming(tmp_path / "x.lgs", keys=False, previews=True) as it:
        it._series.take("test")
    info = leakgraph.load(tmp_path / "x.lgs").info()
    assert (info["keys"], info["previews"]) == ("no", "yes")


def test_a_failure_is_said_and_no_more(tmp_path, capsys):
    with arming(tmp_path / "x.lgs", max_bytes=1000) as it:
        it._series.take("test")
    message = capsys.readouterr().err
    assert message.startswith("leakgraph: no snapshot was saved on test: ")
    assert "max_bytes=1000" in message and "Traceback" not in message
    assert not it.snapshots and names(tmp_path) == []


def test_on_saved(tmp_path, capsys):
    seen = []
    with arming(tmp_path / "x.lgs", on_saved=lambda *given: seen.append(given)) as it:
        it._series.take("test")
    assert seen == [(it.snapshots[0], "test")]
    with arming(tmp_path / "x.lgs", on_saved=lambda *_: 1 / 0) as it:
        it._series.take("test")
    assert "on_saved failed: ZeroDivisionError" in capsys.readouterr().err


def test_one_at_a_time(tmp_path):
    """A save ignores requests that come while it works."""
    with arming(tmp_path / "x-{n}.lgs") as it:

        def again(info, reason):
            it._series.take("inside")

        taken = []

        def during(phase, done):
            thread = threading.Thread(target=it._series.take, args=("during",))
            thread.start()
            thread.join()
            taken.append(phase)

        it._series._guard = during
        it._series.take("test")
    assert taken
    assert names(tmp_path) == ["x-1.lgs"]


class Gauge:
    """A gauge that reads what the test sets."""

    owner = "the test"
    limit = 1 << 40
    is_of_addresses = False

    def __init__(self, used):
        self.now = used
        self.needed = 0

    def refresh(self):
        return False

    def need(self):
        return self.needed

    def used(self):
        return self.now

    def left(self):
        return self.limit - self.now


@pytest.fixture
def gauge(monkeypatch):
    made = Gauge(used=0)
    monkeypatch.setattr(armed, "Memory", lambda: made)
    return made


def test_when_memory_is_nearly_used_up(tmp_path, gauge, capsys):
    with arming(tmp_path / "x-{n}.lgs", rss="50%") as it:
        assert "512.00 GiB in use (50 % of the test)" in repr(it)
        gauge.now = gauge.limit // 2
        until(lambda: it.snapshots)
        gauge.now = 0
        until(lambda: it._alarm._heard_at is None)
        gauge.now = int(gauge.limit * 0.51)
        until(lambda: len(it.snapshots) == 2)
    message = capsys.readouterr().err.splitlines()
    assert len(message) == 2 and "on 512.00 GiB in use" in message[0]


@needs_fork
@pytest.mark.parametrize(
    ("used", "need", "growth", "spill", "hold"),
    [
        (0.6, 0.4, 0, False, False),
        (0.6, 0.41, 0, True, False),
        (0.6, 0.41, 0.1, True, True),
        (0.6, 0.0, 0.1, False, False),
    ],
)
def test_what_a_snapshot_needs_when_memory_is_short(
    tmp_path, gauge, used, need, growth, spill, hold
):
    """The snapshot keeps its memory in a file if it may need more than is left.

    In haste, threads stand still.
    """
    asked = []
    with arming(tmp_path / "x.lgs", rss=int(used * gauge.limit)) as it:
        save = it._series._save
        it._series._save = lambda path, **options: (
            asked.append(options) or save(path, **options)
        )
        it._alarm._measure = lambda now, used: None
        it._alarm._rate = growth * gauge.limit
        gauge.needed = int(need * gauge.limit)
        gauge.now = int(used * gauge.limit)
        until(lambda: it.snapshots)
    assert (asked[0]["spill"], asked[0]["hold"]) == (spill, hold)


@needs_fork
def test_it_is_given_up_when_memory_runs_out(tmp_path, gauge, capsys):
    import evil

    bad = evil.sleeper()
    try:
        with arming(tmp_path / "x.lgs", rss="100%") as it:
            it._alarm.look = lambda *_: False  # no other caller asks for one
            gauge.now = int(gauge.limit * 0.995)
            it._series.take("test")
    finally:
        evil.pardon(bad)
    assert "memory in use reached 99 % of the test" in capsys.readouterr().err
    assert names(tmp_path) == [] and evil.children() == []


def test_real_memory(python):
    code = """
import resource, time
import leakgraph
used = int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
it = leakgraph.arm("x.lgs", signal=None, rss=used + (40 << 20))
blocks = []
for _ in range(60):
    blocks.append(b"x" * (1 << 20))
while not it.snapshots:
    time.sleep(0.01)
"""
    done = python("-c", code)
    assert done.code == 0, done.err
    strings = leakgraph.load(done.folder / "x.lgs").select("type:bytes")
    assert sum(node.size for node in strings) > 30 << 20


CAUGHT = sys.version_info >= (3, 12)


def test_an_uncaught_one(python):
    code = """
import leakgraph
leakgraph.arm("x.lgs", rss=None)
def train():
    batch = ["what was being done"]
    bytearray(1 << 62)
train()
"""
    plain = python("-c", code.replace('leakgraph.arm("x.lgs", rss=None)', "pass"))
    done = python("-c", code)
    assert done.code == plain.code == 1
    assert "saved to" in done.err and "on MemoryError" in done.err
    kept = [row for row in done.err.splitlines() if "leakgraph: " not in row]
    assert kept == plain.err.splitlines()
    snapshot = leakgraph.load(done.folder / "x.lgs")
    assert any(
        edge.label.endswith("batch")
        for node in snapshot.select("type:frame")
        for edge in node.referents()
    )


PLACES = {
    "in a thread": """
thread = threading.Thread(target=fail)
thread.start()
thread.join()
""",
    "where none can be raised": """
class Holder:
    def __del__(self):
        fail()
Holder()
""",
}
if CAUGHT:
    PLACES["caught"] = """
try:
    fail()
except MemoryError:
    pass
"""


@pytest.mark.parametrize("place", PLACES)
def test_others(python, place):
    code = f"""
import threading
import leakgraph
def fail():
    raise MemoryError
it = leakgraph.arm("x-{{n}}.lgs", rss=None)
{PLACES[place]}
{PLACES[place]}
print(len(it.snapshots))
leakgraph.disarm()
{PLACES[place]}
"""
    done = python("-c", code)
    assert (done.code, done.out) == (0, "1\n"), done.err
    assert done.err.count("on MemoryError") == 1


def test_torchs_own_caught_and_loaded_later(python):
    """Stands in for the module: its class is made in C, like PyTorch's."""
    code = """
import sys, time, types
import leakgraph
it = leakgraph.arm("x.lgs")
torch = types.ModuleType("torch")
kind = type("OutOfMemoryError", (RuntimeError,), {"__module__": "torch"})
torch.OutOfMemoryError = kind
sys.modules["torch"] = torch
if sys.version_info < (3, 12):
    while "__init__" not in vars(kind):
        time.sleep(0.01)
try:
    raise kind("CUDA out of memory. Tried to allocate 20.00 GiB")
except RuntimeError as error:
    print(error, len(it.snapshots))
leakgraph.disarm()
print("__init__" in vars(kind))
"""
    done = python("-c", code)
    message = "CUDA out of memory. Tried to allocate 20.00 GiB 1\nFalse\n"
    assert (done.code, done.out) == (0, message), done.err


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (MemoryError(), True),
        (type("Own", (MemoryError,), {})(), True),
        (type("OutOfMemoryError", (RuntimeError,), {"__module__": "torch"})(), True),
        (RuntimeError("CUDA error: out of memory"), True),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: not enough memory"), True),
        (leakgraph.LimitError("x"), False),
        (RuntimeError("out of luck"), False),
        (RuntimeError(17), False),
        (RuntimeError(), False),
        (type("OutOfMemoryError", (RuntimeError,), {"__module__": "mine"})(), False),
        (ValueError("CUDA out of memory"), False),
        (None, False),
    ],
)
def test_what_is_a_shortage(error, expected):
    assert shortage.is_shortage(error) is expected


def test_hooks_are_put_back(tmp_path):
    before = sys.excepthook, threading.excepthook, sys.unraisablehook
    with arming(tmp_path / "x.lgs", on_oom=True):
        assert sys.excepthook is not before[0]
    assert before == (sys.excepthook, threading.excepthook, sys.unraisablehook)


def test_hooks_put_on_top_stay_and_pass_on(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(sys, "excepthook", lambda *given: seen.append("first"))
    for _ in range(3):
        with arming(tmp_path / "x.lgs", on_oom=True):
            below = sys.excepthook

            def on_top(*given, below=below):
                seen.append("top")
                below(*given)

            sys.excepthook = on_top
    sys.excepthook(ValueError, ValueError(), None)
    assert seen == ["top"] * 3 + ["first"]


@pytest.mark.skipif(not CAUGHT, reason="sys.monitoring came with Python 3.12")
def test_tools_of_the_interpreter_are_given_back(tmp_path):
    tools = [sys.monitoring.get_tool(i) for i in range(6)]
    with arming(tmp_path / "x.lgs", on_oom=True):
        assert "leakgraph" in [sys.monitoring.get_tool(i) for i in range(6)]
    assert tools == [sys.monitoring.get_tool(i) for i in range(6)]


@pytest.mark.libraries
def test_the_real_torch(python):
    code = """
import torch
import leakgraph
it = leakgraph.arm("x-{n}.lgs")
try:
    raise torch.OutOfMemoryError("CUDA out of memory.")
except RuntimeError as error:
    print(error, len(it.snapshots))
it._last_shortage = float("-inf")
torch.empty(1 << 60, dtype=torch.uint8)
"""
    done = python("-c", code)
    assert done.out == "CUDA out of memory. 1\n", done.err
    assert done.code == 1 and done.err.count("saved to") == 2


@pytest.mark.parametrize(
    ("ending", "code"), [("pass", 0), ("sys.exit(3)", 3), ("1/0", 1)]
)
def test_at_exit(python, ending, code):
    done = python(
        "-c",
        f"import sys, leakgraph\nleakgraph.arm('x.lgs', at_exit=True)\n{ending}",
    )
    assert done.code == code and "on exit" in done.err
    assert names(done.folder) == ["x.lgs"]


def test_at_exit_before_callbacks(python):
    done = python(
        "-c",
        "import atexit, leakgraph\n"
        "leakgraph.arm('x.lgs', signal=None, rss=None, at_exit=True)\n"
        "kept = [bytearray(1000) for _ in range(100)]\n"
        "atexit.register(kept.clear)\n",
    )
    assert done.code == 0, done.err
    (kept,) = leakgraph.load(done.folder / "x.lgs").select("name:__main__.kept")
    assert sum(edge.label.startswith("[") for edge in kept.referents()) == 100


def test_not_at_exit_when_not_asked(python):
    done = python("-c", "import leakgraph\nleakgraph.arm('x.lgs')")
    assert (done.code, done.err, names(done.folder)) == (0, "", [])


def test_a_snapshot_under_way_is_waited_for_at_exit(python):
    code = """
import os, signal, time
import leakgraph
kept = [[i] for i in range(300000)]
it = leakgraph.arm("x.lgs", rss=None)
os.kill(os.getpid(), signal.SIGURG)
while not it._series._taking.locked():
    time.sleep(0.001)
"""
    done = python("-c", code)
    assert done.code == 0 and "on SIGURG" in done.err
    assert names(done.folder) == ["x.lgs"]


def test_a_forked_child_is_not_armed(python):
    code = """
import os, signal, sys, time
import leakgraph
leakgraph.arm("parent-{n}.lgs", at_exit=True)
child = os.fork()
if child == 0:
    os.kill(os.getpid(), signal.SIGURG)
    try:
        raise MemoryError
    except MemoryError:
        pass
    with leakgraph.arm("child.lgs", rss=None) as it:
        os.kill(os.getpid(), signal.SIGURG)
        while not it.snapshots:
            time.sleep(0.01)
    sys.exit(4)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = python("-c", code)
    assert (done.code, done.out) == (0, "4\n"), done.err
    assert names(done.folder) == ["child.lgs", "parent-1.lgs"]


def test_thirty_signals(python):
    """bench/signals.py sends six hundred of them."""
    done = python(HERE.parents[1] / "bench" / "signals.py", 30, timeout=600)
    assert done.code == 0, done.err
    assert "30 snapshots" in done.out
