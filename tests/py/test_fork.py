"""In save_snapshot(fork=True) the child does the work, and nothing else notices."""

import contextlib
import os
import signal
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import evil
import pytest
from builds import needs_fork

import leakgraph

pytestmark = [pytest.mark.ends, needs_fork]

HERE = Path(__file__).parent
PATIENCE = 60


def save(path, **options):
    return leakgraph.save_snapshot(path, fork=True, **options)


def leftovers(folder):
    return sorted(path.name for path in folder.iterdir())


def until(condition):
    """Wait for what must come. A minute is for a very busy machine."""
    for _ in range(6000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it did not come")


@pytest.fixture
def bad():
    """Make an object that is bad to traverse, and put it right afterwards."""
    made = []

    def make(kind):
        made.append(kind())
        return made[-1]

    yield make
    for instance in made:
        evil.pardon(instance)


QUIESCENT = """
import gc, sys
sys.path.insert(0, {here!r})
import array, collections, io, decimal, re
import holding
import leakgraph

kept = [collections.deque(range(100)), array.array("d", range(50)),
        io.BytesIO(b"x" * 99), decimal.Decimal(7), re.compile("a+"),
        collections.OrderedDict(a=1)]
gc.collect()
gc.disable()
# The first ones find caches that are still cold.
for round in range(2):
    for fork in (False, True):
        leakgraph.save_snapshot("%d.lgs" % fork, fork=fork, compress=0)
"""


def lasting(snapshot):
    """List the nodes that something refers to, and the roots.

    Only CPython's cache of attributes keeps the others, which are names. A later
    look-up, even by a capture, overwrites them.
    """
    referred = {edge.target.index for edge in snapshot.edges}
    referred.update(node.index for node, _, _ in snapshot.roots)
    return [node for node in snapshot.nodes if node.index in referred]


def described(nodes):
    """Describe every object without its address: its type, its value, its references.

    Atoms are shared with the loop that asks, so their counts are not compared.
    """
    count = Counter()
    for node in nodes:
        edges = tuple((edge.kind, edge.label) for edge in node.referents())
        references = (node.refcount, node.found) if edges else ()
        count[node.type_name, node.size, references, edges] += 1
    return count


def roots(snapshot):
    """List all roots except what caches hold natively."""
    return [(kind, name) for _, kind, name in snapshot.roots if kind != "native"]


def known(snapshot):
    """Return all info except the time, the speed, and malloc's figures."""
    info = snapshot.info()
    changing = {"time", "time.fraction", "capture.seconds", "process.descriptors"}
    return {k: info[k] for k in info if k not in changing and k[:7] != "memory."}


@pytest.mark.parametrize("method", ["internal", "public"])
def test_the_file_is_that_of_the_process_itself(python, method):
    environment = {"LEAKGRAPH_CAPTURE": method}
    done = python("-c", QUIESCENT.format(here=str(HERE)), **environment)
    assert done.code == 0, done.err
    here, forked = (leakgraph.load(done.folder / f"{i}.lgs") for i in range(2))
    assert forked.method.startswith(method)
    nodes = lasting(here)
    assert len(nodes) > 1000
    assert described(nodes) == described(lasting(forked))
    assert roots(here) == roots(forked)
    assert known(here) == known(forked)


def test_what_it_says_of_itself(tmp_path):
    info = save(tmp_path / "run-{pid}-{n}.lgs")
    snapshot = leakgraph.load(info.path)
    assert info.path == str(tmp_path / f"run-{os.getpid()}-1.lgs")
    assert info.bytes == os.path.getsize(info.path)
    assert (info.nodes, info.edges) == (len(snapshot), len(snapshot.edges))
    assert 0 < info.pause < info.seconds
    assert leftovers(tmp_path) == [os.path.basename(info.path)]


def test_options(tmp_path):
    path = tmp_path / "x.lgs"
    held = {"secret": [1, 2, 3]}
    save(path, roots=[held], max_depth=1, keys=False)
    snapshot = leakgraph.load(path)
    assert snapshot.is_partial and len(snapshot) < 100
    assert "secret" not in {node.text for node in snapshot.nodes}
    sizes = [save(path, **options).bytes for options in ({}, {"compress": 0})]
    assert sizes[0] < sizes[1] / 3
    for timeout in (0, -1, 1 << 40):
        with pytest.raises(ValueError, match="timeout"):
            save(path, timeout=timeout)


@pytest.mark.parametrize("options", [{"spill": True}, {"hold": True}, {"spill": 1}])
def test_spill_and_hold_need_a_child(tmp_path, options):
    with pytest.raises(leakgraph.ArgumentError, match="fork=True"):
        leakgraph.save_snapshot(tmp_path / "x.lgs", **options)


def reached(snapshot, thing):
    """List all objects, by address, that a thing reaches, except classes."""
    address, size, first, target = map(
        snapshot.column, ("address", "size", "first_edge", "edge_target")
    )
    found, waiting = {}, [snapshot.find(thing).index]
    while waiting:
        node = waiting.pop()
        if address[node] in found:
            continue
        targets = target[first[node] : first[node + 1]]
        if snapshot.node(node).type_name != "type":
            waiting.extend(targets)
        found[address[node]] = (size[node], [address[at] for at in targets])
    return found


def test_memory_in_a_file_gives_the_same(tmp_path):
    """Compare what a list holds: the tests themselves change the rest of the heap."""
    kept = [[i, str(i), {i: (i,)}] for i in range(60_000)]
    save(tmp_path / "a.lgs")
    save(tmp_path / "b.lgs", spill=True)
    assert leftovers(tmp_path) == ["a.lgs", "b.lgs"]
    found = [
        reached(leakgraph.load(tmp_path / name), kept) for name in leftovers(tmp_path)
    ]
    assert len(found[0]) > 5 * len(kept)
    assert found[0] == found[1]


def test_memory_in_a_file_is_not_the_childs(python):
    """The budget of anonymous memory is far too small without the file."""
    code = """
import resource, sys
import leakgraph
kept = [[i, str(i), {i: (i,)}] for i in range(100_000)]
used = int(open("/proc/self/statm").read().split()[5]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_DATA, (used + (40 << 20), -1))
for spill in (False, True):
    try:
        print(leakgraph.save_snapshot("x.lgs", fork=True, spill=spill).nodes > 100_000)
    except (MemoryError, leakgraph.ChildError) as error:
        print(type(error).__name__)
"""
    done = python("-c", code)
    assert done.out.split() == ["MemoryError", "True"], done.err


def test_no_room_for_the_file_that_memory_is_in(python):
    """The system refuses so large a file; the memory is then anonymous."""
    code = """
import resource, leakgraph
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, -1))
print(leakgraph.save_snapshot("x.lgs", fork=True, spill=True).nodes > 1000)
"""
    done = python("-c", code)
    assert done.out == "True\n", done.err


def kill_children():
    """Kill each child that there is; it may have ended meanwhile."""
    for child in evil.children():
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)


@pytest.mark.parametrize("hold", [False, True])
def test_standing_still(tmp_path, bad, hold):
    """A thread kills every child that it sees, and the child hangs. The thread sees no
    held child.
    """
    bad(evil.sleeper)
    over = threading.Event()

    def end_children():
        while not over.is_set():
            kill_children()

    thread = threading.Thread(target=end_children)
    thread.start()
    try:
        with pytest.raises(leakgraph.ChildError) as caught:
            save(tmp_path / "x.lgs", hold=hold, timeout=2 if hold else PATIENCE)
    finally:
        over.set()
        thread.join()
    assert caught.value.signal == (signal.SIGALRM if hold else signal.SIGKILL)


def test_nobody_else_sees_the_child(tmp_path):
    seen = []
    os.register_at_fork(
        before=lambda: seen.append("before"),
        after_in_parent=lambda: seen.append("parent"),
        after_in_child=lambda: seen.append("child"),
    )
    old = signal.signal(signal.SIGCHLD, lambda *_: seen.append("SIGCHLD"))
    try:
        save(tmp_path / "x.lgs")
    finally:
        signal.signal(signal.SIGCHLD, old)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
    assert seen == []
    assert evil.children() == []


def test_sigchld_may_be_ignored(tmp_path):
    """The system itself may take the exit status of children."""
    old = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        assert save(tmp_path / "x.lgs").nodes > 1000
    finally:
        signal.signal(signal.SIGCHLD, old)


def test_the_child_runs_no_handler(python):
    code = """
import atexit, leakgraph, sys
print("buffered", end="")
atexit.register(print, "at exit")
leakgraph.save_snapshot("x.lgs", fork=True)
"""
    done = python("-c", code)
    assert (done.code, done.out) == (0, "bufferedat exit\n"), done.err


def test_no_descriptor_is_left(tmp_path):
    before = os.listdir("/proc/self/fd")
    for _ in range(3):
        save(tmp_path / "x.lgs")
    assert os.listdir("/proc/self/fd") == before


def test_signal_masks_stay(tmp_path):
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    save(tmp_path / "x.lgs")
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before


def test_signals_to_the_child_are_not_heard(tmp_path, bad):
    """The interpreter's C handler would write to the wakeup descriptor."""
    heard = []
    receiver, sender = os.pipe()
    os.set_blocking(sender, False)
    bad(evil.sleeper)
    old = signal.signal(signal.SIGUSR1, lambda *_: heard.append("USR1"))
    descriptor = signal.set_wakeup_fd(sender)

    def disturb():
        until(evil.children)
        (child,) = evil.children()
        for number in (signal.SIGUSR1, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            os.kill(child, number)
        time.sleep(0.05)
        heard.append(len(evil.children()))
        os.kill(child, signal.SIGKILL)

    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        with pytest.raises(leakgraph.ChildError):
            save(tmp_path / "x.lgs")
    finally:
        thread.join()
        signal.set_wakeup_fd(descriptor)
        signal.signal(signal.SIGUSR1, old)
        os.close(sender)
        assert os.read(receiver, 100) == b""
        os.close(receiver)
    assert heard == [1]


@pytest.mark.parametrize(
    ("kind", "number"),
    [(evil.crasher, signal.SIGSEGV), (evil.aborter, signal.SIGABRT)],
)
def test_a_crash_is_the_childs_own(tmp_path, bad, kind, number):
    instance = bad(kind)
    with pytest.raises(leakgraph.ChildError) as caught:
        save(tmp_path / "x.lgs")
    error = caught.value
    assert error.signal == number
    assert isinstance(error, ChildProcessError)
    assert f"signal {int(number)}" in str(error)
    assert f"type {type(instance).__name__}" in str(error)
    assert leftovers(tmp_path) == []
    assert evil.children() == []


def test_the_next_one_works(tmp_path):
    instance = evil.crasher()
    with pytest.raises(leakgraph.ChildError):
        save(tmp_path / "x.lgs")
    evil.pardon(instance)
    assert save(tmp_path / "x.lgs").nodes > 1000


def test_a_child_that_hangs_is_given_up(tmp_path, bad):
    bad(evil.sleeper)
    with pytest.raises(leakgraph.ChildError, match="no progress for 1 s") as caught:
        save(tmp_path / "x.lgs", timeout=1)
    assert caught.value.signal == signal.SIGALRM
    assert "Sleeper" in str(caught.value)
    assert leftovers(tmp_path) == [] and evil.children() == []


ALARMED = """
import leakgraph
try:
    print(leakgraph.save_snapshot("x.lgs", fork=True, timeout=600).nodes > 1000)
except leakgraph.ChildError as error:
    print(error)
"""


@pytest.mark.parametrize("seconds", ["waited", "ran", "neither"])
def test_a_child_that_waits_for_a_processor_does_not_hang(python, preload, seconds):
    """Its alarm rings, and Linux says for how long it has waited, and has run."""
    done = python("-c", ALARMED, LD_PRELOAD=preload("schedule"), SCHEDULE=seconds)
    assert done.code == 0, done.err
    if seconds == "waited":
        assert done.out == "True\n"
    else:
        assert "made no progress for 600 s and was killed" in done.out


def test_a_child_that_is_killed(tmp_path, bad):
    bad(evil.sleeper)

    def kill():
        until(evil.children)
        os.kill(*evil.children(), signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    with pytest.raises(leakgraph.ChildError, match="signal 9") as caught:
        save(tmp_path / "x.lgs")
    thread.join()
    assert caught.value.signal == signal.SIGKILL
    assert leftovers(tmp_path) == []


def test_ctrl_c_kills_the_child(tmp_path, bad):
    bad(evil.sleeper)

    def interrupt():
        until(evil.children)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        save(tmp_path / "x.lgs")
    thread.join()
    assert leftovers(tmp_path) == [] and evil.children() == []


def test_the_child_dies_with_its_parent(python, tmp_path):
    code = f"""
import os, signal, sys, threading
sys.path.insert(0, {str(HERE)!r})
import evil, leakgraph
kept = evil.sleeper()
def end():
    while not evil.children():
        pass
    print(*evil.children(), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
threading.Thread(target=end).start()
leakgraph.save_snapshot("x.lgs", fork=True)
"""
    done = python("-c", code)
    assert done.code == -signal.SIGKILL, done.err
    child = Path("/proc") / done.out.strip()
    until(lambda: not child.exists() or "\nState:\tZ" in (child / "status").read_text())


REAL_TIME = f"""
import os, signal, sys, threading, time
sys.path.insert(0, {str(HERE)!r})
import evil, leakgraph
try:
    os.sched_setscheduler(0, getattr(os, sys.argv[1]), os.sched_param(1))
except PermissionError:
    sys.exit("not permitted")
kept = evil.sleeper()
def look():
    while not evil.children():
        time.sleep(0.001)
    (child,) = evil.children()
    while int(open(f"/proc/{{child}}/oom_score_adj").read()) != 1000:
        time.sleep(0.001)
    print(os.sched_getscheduler(child) == os.SCHED_OTHER)
    os.kill(child, signal.SIGKILL)
threading.Thread(target=look).start()
try:
    leakgraph.save_snapshot("x.lgs", fork=True)
except leakgraph.ChildError as error:
    same = os.sched_getscheduler(0) == getattr(os, sys.argv[1])
    print(error.signal, same, flush=True)
os._exit(0)  # the collector would never end
"""


@pytest.mark.parametrize("policy", ["SCHED_FIFO", "SCHED_RR"])
def test_the_child_of_a_real_time_process_has_no_such_policy(python, policy):
    """It would keep its parent from the processor until the end."""
    done = python("-c", REAL_TIME, policy)
    if "not permitted" in done.err:
        pytest.skip("this user has no real-time policy")
    assert done.out.split() == ["True", "9", "True"], done.err


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("file", "another thread has closed a file of the snapshot"),
        ("spill", "another thread has closed a file of the snapshot"),
        ("pipe", "the child process exited without a snapshot"),
    ],
)
def test_a_child_writes_to_no_file_of_its_parent(python, preload, tmp_path, what, said):
    """Another thread may have closed a file of the child, and opened its own."""
    other = tmp_path / "other"
    other.write_text("what the parent has written")
    options = f"fork=True, spill={what == 'spill'}"
    save_it = f"import leakgraph; leakgraph.save_snapshot('x.lgs', {options})"
    forged = {"LD_PRELOAD": preload("closed"), "CLOSED": what, "OTHER": str(other)}
    done = python("-c", save_it, **forged)
    assert f"ChildError: {said}" in done.err
    assert other.read_text() == "what the parent has written"
    assert leftovers(tmp_path) == ["other"]


@pytest.mark.parametrize("room", [1, 100, 100_000])
def test_a_full_disk(python, room):
    """Writing stops at the limit on file sizes; SIGXFSZ does not kill the process."""
    code = f"""
import os, resource, leakgraph
resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, -1))
try:
    leakgraph.save_snapshot("x.lgs", fork=True)
except leakgraph.FileError as error:
    print(error, os.listdir())
"""
    done = python("-c", code)
    assert done.code == 0, done.err
    limit = f"the captured process may write up to {room} bytes to a file: ulimit -f"
    assert done.out == f"cannot write x.lgs: File too large ({limit}) []\n"


def test_a_file_system_whose_files_stay_small(python, preload):
    """The process may write more, so its limit is no advice."""
    code = """
import resource, leakgraph
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 40, -1))
try:
    leakgraph.save_snapshot("x.lgs", fork=True)
except leakgraph.FileError as error:
    print(error)
"""
    done = python("-c", code, LD_PRELOAD=preload("narrow"), NARROW="100000")
    assert done.code == 0, done.err
    assert done.out == "cannot write x.lgs: File too large\n"


def test_an_older_file_stays_when_it_fails(tmp_path, bad):
    path = tmp_path / "x.lgs"
    save(path)
    before = path.read_bytes()
    bad(evil.crasher)
    with pytest.raises(leakgraph.ChildError):
        save(path)
    assert path.read_bytes() == before and leftovers(tmp_path) == ["x.lgs"]


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(leakgraph.FileError, match="nowhere"):
        save(tmp_path / "nowhere" / "x.lgs")


def test_budget(tmp_path):
    with pytest.raises(leakgraph.LimitError, match="max_bytes=3000000"):
        save(tmp_path / "x.lgs", max_bytes=3_000_000)
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize("limit", ["RLIMIT_AS"])
def test_no_memory_to_begin(python, limit):
    code = f"""
import resource, leakgraph
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
for extra in range(0, 40, 3):
    resource.setrlimit(resource.{limit}, (used + (extra << 20), -1))
    try:
        print(leakgraph.save_snapshot("x.lgs", fork=True).nodes > 1000)
    except (MemoryError, leakgraph.ChildError) as error:
        print(type(error).__name__)
"""
    done = python("-c", code)
    assert done.code == 0, done.err
    words = set(done.out.split())
    assert "MemoryError" in words and words <= {"MemoryError", "True"}


def test_progress_is_told(tmp_path, bad):
    phases = []

    def progress(phase, done):
        phases.append((phase, done))
        kill_children()

    bad(evil.sleeper)
    with pytest.raises(leakgraph.ChildError):
        save(tmp_path / "x.lgs", progress=progress)
    assert phases and phases[0][0] == "capturing" and 0 <= phases[0][1] <= 1
    phases.clear()


def test_progress_can_stop_it(tmp_path, bad):
    def progress(phase, done):
        raise ZeroDivisionError

    bad(evil.sleeper)
    with pytest.raises(ZeroDivisionError):
        save(tmp_path / "x.lgs", progress=progress)
    assert leftovers(tmp_path) == [] and evil.children() == []


def test_other_threads_run_on(tmp_path, bad):
    """The GIL is free while the child works."""
    bad(evil.sleeper)
    steps = []

    def run():
        until(evil.children)
        for i in range(1000):
            steps.append(i)
        os.kill(*evil.children(), signal.SIGKILL)

    thread = threading.Thread(target=run)
    thread.start()
    with pytest.raises(leakgraph.ChildError):
        save(tmp_path / "x.lgs")
    thread.join()
    assert len(steps) == 1000


def test_while_threads_change_everything(tmp_path):
    """With four mutators, every file is complete and the process survives."""
    over = threading.Event()
    interval = sys.getswitchinterval()

    def mutate(seed):
        kept = {}
        while not over.is_set():
            seed = seed * 1103515245 + 12345 & 0xFFFFFFFF
            kept[seed % 997] = [seed, {"x": (seed,)}, str(seed)]
            if seed % 31 == 0:
                kept.clear()

    threads = [threading.Thread(target=mutate, args=(i,)) for i in range(4)]
    sys.setswitchinterval(1e-4)
    for thread in threads:
        thread.start()
    try:
        saved = [save(tmp_path / f"{number}.lgs") for number in range(10)]
    finally:
        over.set()
        sys.setswitchinterval(interval)
        for thread in threads:
            thread.join()
    for info in saved:
        assert len(leakgraph.load(info.path)) == info.nodes


@pytest.mark.libraries
def test_while_torch_computes(python):
    """torch's own threads are busy, and continue."""
    code = """
import threading
import torch
import leakgraph
torch.set_num_threads(4)
a = torch.randn(300, 300, dtype=torch.float64)
right = a @ a
wrong, steps, over = [], threading.Semaphore(0), threading.Event()
def compute():
    while not over.is_set():
        loss = (a.clone().requires_grad_() @ a).pow(2).sum()
        loss.backward()
        steps.release()
        if not torch.equal(a @ a, right):
            wrong.append(1)
threads = [threading.Thread(target=compute) for _ in range(2)]
for thread in threads:
    thread.start()
counts = []
for _ in range(5):
    info = leakgraph.save_snapshot("x.lgs", fork=True)
    counts.append(len(leakgraph.load("x.lgs")) == info.nodes)
while steps.acquire(blocking=False):
    pass
for _ in range(3):
    steps.acquire()
over.set()
for thread in threads:
    thread.join()
print(all(counts), len(wrong))
"""
    done = python("-c", code)
    assert (done.code, done.out) == (0, "True 0\n"), done.err


STRICT = f"""
import sys
sys.path.insert(0, {str(HERE)!r})
import array, collections, ctypes, decimal, io, mmap, re
import evil, leakgraph
kept = [collections.deque(range(100)), array.array("d", range(50)),
        io.BytesIO(b"x" * 99), decimal.Decimal(7), re.compile("a+"),
        collections.OrderedDict(a=1), bytearray(500), mmap.mmap(-1, 4096),
        memoryview(bytearray(70)), (ctypes.c_int * 9)()]
try:
    import numpy
except ImportError:
    pass
else:
    whole = numpy.arange(1000.0)
    kept += [whole, whole[3:], whole.reshape(10, -1), numpy.array([print, None]),
             numpy.frombuffer(kept[6], dtype="u1"), numpy.ma.array([1], mask=[True])]
"""

SAVES = """
for options in ({}, {"previews": True}, {"roots": [kept]},
                {"roots": [sys.modules], "max_depth": 2}):
    print(leakgraph.save_snapshot("x.lgs", fork=True, **options).nodes > 5)
"""

LIMIT = """
try:
    leakgraph.save_snapshot("y.lgs", fork=True, max_bytes=3_000_000)
except leakgraph.LimitError:
    print("limit")
"""

CARELESS = """
bad = evil.make(evil.address_of(evil.LIBC.careless))
try:
    leakgraph.save_snapshot("x.lgs", fork=True)
except leakgraph.ChildError as error:
    print(error.signal)
sys.stdout.flush()
import os
os._exit(0)
"""


@pytest.mark.parametrize("method", ["internal", "public"])
def test_the_child_does_without_malloc(python, preload, method):
    done = python(
        "-c",
        STRICT + SAVES + LIMIT + CARELESS,
        LD_PRELOAD=preload("strict"),
        LEAKGRAPH_CAPTURE=method,
    )
    assert done.out.split() == ["True"] * 4 + ["limit", "6"], done.err
    assert done.code == 0


@pytest.mark.libraries
def test_the_child_does_without_malloc_whatever_is_loaded(python, preload):
    code = (
        STRICT
        + """
import matplotlib.pyplot, pandas, torch
a = torch.randn(50, 50, requires_grad=True)
kept += [a, a[3:], [(a @ a).relu().sum() for _ in range(20)], torch.nn.Linear(3, 4),
         pandas.DataFrame({"x": range(90)}), matplotlib.pyplot.figure()]
kept[-4][0].backward(retain_graph=True)
matplotlib.pyplot.plot([1, 2])
kept[-1].canvas.draw()
"""
        + SAVES
    )
    done = python("-c", code, LD_PRELOAD=preload("strict"))
    assert done.out.split() == ["True"] * 4, done.err


# Mappings that fail must do no harm, and the next capture works.
SWEEP = """
import ctypes, sys
import leakgraph
left = ctypes.c_long.in_dll(ctypes.CDLL(None), "mappings_left")
kept = [[i, str(i), {{i: i}}] for i in range(3000)]
path = "x.lgs"
failed = 0
for allowed in range(10000):
    left.value = allowed
    try:
        {call}
        break
    except MemoryError as error:
        assert "memory" in str(error), error
        failed += 1
    finally:
        left.value = -1
    if allowed % 10 == 0:
        {call}
{call}
print(failed)
"""


@pytest.mark.parametrize("method", ["internal", "public"])
@pytest.mark.parametrize(
    "call",
    [
        "leakgraph.snapshot().close()",
        "leakgraph.snapshot(roots=[kept], previews=True).close()",
        "leakgraph.save_snapshot(path, fork=True)",
    ],
)
def test_no_mapping_is_vital(python, preload, call, method):
    done = python(
        "-c",
        SWEEP.format(call=call),
        LD_PRELOAD=preload("scarce"),
        LEAKGRAPH_CAPTURE=method,
    )
    assert done.code == 0, done.err
    assert int(done.out) > 20
    assert leftovers(done.folder) in ([], ["x.lgs"])
