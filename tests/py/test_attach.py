"""attach() takes a snapshot of an unprepared process, which notices nothing."""

import contextlib
import ctypes
import errno
import mmap
import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import leakgraph
from leakgraph import _core, attached

if sys.maxsize < 2**32 or os.uname().machine != "x86_64":
    pytest.skip("attach knows x86-64 only", allow_module_level=True)

#: Each target begins with this; it ends when its standard input does.
BEGIN = """
import ctypes, gc, os, signal, sys, threading, time
class Kept: pass
kept = [Kept() for _ in range(1000)]
threading.Thread(target=sys.stdin.read, daemon=True).start()
signal.signal(signal.SIGUSR1, lambda *_: None)
def facts():
    return [sorted(sys.modules), sorted(os.listdir('/proc/self/fd')),
            threading.active_count(), len(sys.path), gc.isenabled(),
            signal.getsignal(signal.SIGUSR1).__name__]
"""
READY = "\nbefore = facts()\nprint('ready', flush=True)\n"
#: What a target does, and what it must do first.
WAITS = {
    "sleeps": ("time.sleep(100)", ""),
    "computes": ("while True: sum(range(100))", ""),
    "waits for a lock": ("threading.Event().wait(100)", ""),
    "waits for a queue": ("queue.SimpleQueue().get(timeout=100)", "import queue"),
    "waits for a thread": ("threading.enumerate()[-1].join(100)", ""),
    "waits for a child": (
        "child.wait()",
        "import subprocess\nchild = subprocess.Popen(['cat'], stdin=subprocess.PIPE)",
    ),
    "waits in C": ("ctypes.CDLL(None).sleep(100)", ""),
    "has another interpreter": (
        "time.sleep(100)",
        "try:\n    import _interpreters as others\n"
        "except ImportError:\n    import _xxsubinterpreters as others\n"
        "others.create()",
    ),
    "has busy threads": (
        "while True: time.sleep(0.001)",
        "def work():\n    while True: [{} for _ in range(99)]\n"
        "for _ in range(3): threading.Thread(target=work, daemon=True).start()",
    ),
}
#: Keeps the GIL until a line comes through the pipe.
KEEPS = """
pipe, room = os.open({path!r}, os.O_RDWR), ctypes.create_string_buffer(9)
before = facts()
ctypes.PyDLL(None).read(pipe, room, 9)
print(room.value, facts() == before, flush=True)
time.sleep(100)
"""
UNSHARED = ("unshare", "-m", "-p", "-f", "--kill-child", "sh", "-c")


class Target:
    """A running Python."""

    def __init__(self, source, *command, first="", options=(), errors=None):
        self.process = subprocess.Popen(
            [*command, sys.executable, *options, "-c", BEGIN + first + READY + source],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        assert self.process.stdout.readline() == "ready\n"
        self.pid = self.process.pid

    def status(self, name):
        text = Path(f"/proc/{self.pid}/status").read_text()
        return next(x for x in text.splitlines() if x.startswith(name)).split()[1]

    def reads(self, path):
        """Whether the main thread waits for a line through that pipe."""
        call = Path(f"/proc/{self.pid}/syscall").read_text().split()
        return call[0] == "0" and os.path.samefile(
            path, f"/proc/{self.pid}/fd/{int(call[1], 16)}"
        )

    def traces(self):
        """List what would show that somebody was there."""
        maps = Path(f"/proc/{self.pid}/maps").read_text()
        return {
            "fds": sorted(os.listdir(f"/proc/{self.pid}/fd")),
            "libraries": {x.split()[5] for x in maps.splitlines() if "/" in x},
            "code": sum("r-xp 00000000 00:00 0 \n" in f"{x}\n" for x in maps),
            "caught": self.status("SigCgt"),
            "blocked": self.status("SigBlk"),
            "threads": self.status("Threads"),
            "children": Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text(),
            "tracer": self.status("TracerPid"),
        }

    def end(self):
        """Kill it; return its errors, if somebody wants them."""
        if self.process.poll() is None:
            self.process.kill()
        return self.process.communicate()[1]


@pytest.fixture
def target():
    """Start targets: target(source)."""
    started = []

    def start(source, *command, **options):
        started.append(Target(source, *command, **options))
        return started[-1]

    yield start
    for one in started:
        one.end()


@pytest.fixture
def keeper(target, tmp_path):
    """Start a target that keeps the GIL in C code until the test asks it to go on."""
    path = str(tmp_path / "pipe")
    os.mkfifo(path)
    one = target(KEEPS.format(path=path))
    while not one.reads(path):
        time.sleep(0.001)

    def goes_on():
        assert one.status("TracerPid") == "0"
        Path(path).write_text("go", encoding="ascii")
        assert one.process.stdout.readline() == "b'go' True\n"

    one.goes_on = goes_on
    return one


@pytest.fixture(scope="module", autouse=True)
def _allowed():
    one = Target("time.sleep(100)")
    try:
        leakgraph.attach(one.pid).close()
    except leakgraph.UnsupportedError as error:
        pytest.skip(str(error))
    finally:
        one.end()


def test_lists_native_memory(target):
    one = target("time.sleep(100)")
    before = one.traces()
    with leakgraph.attach(one.pid, native=True) as snapshot:
        facts = [line.split() for line in str(snapshot.info()).splitlines()]
        assert ["native", "inspected"] in facts
    assert one.traces() == before


def resident(pid):
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    return 1024 * int(re.search(r"Rss: +(\d+) kB", rollup)[1])


def test_resident_memory_is_what_the_process_has_without_the_capture(target):
    one = target("time.sleep(100)")
    with leakgraph.attach(one.pid) as snapshot:
        more = snapshot.info()["memory.rss"] - resident(one.pid)
    assert abs(more) < 1 << 19


def test_resident_memory_has_a_library_that_the_program_imports(target):
    one = target("time.sleep(100)", first="import leakgraph\n")
    with leakgraph.attach(one.pid) as snapshot:
        more = snapshot.info()["memory.rss"] - resident(one.pid)
    assert more > -(1 << 19)


@pytest.mark.parametrize("wait", WAITS)
def test_the_process_goes_on(target, wait):
    source, first = WAITS[wait]
    one = target(source, first=first)
    before = one.traces()
    with leakgraph.attach(one.pid) as snap:
        assert len(snap.select("type:__main__.Kept")) == 1000
        assert snap.info()["pid"] == one.pid
    assert one.traces() == before
    assert one.process.poll() is None
    assert one.status("State") in "SR"


#: The first word of the code that leakgraph writes.
MARK = b"llkgraph"


def marked_files(pid):
    """List the file of each page of text that leakgraph has written to."""
    found = []
    with open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            words = line.split()
            if words[1] == "r-xp" and words[-1].startswith("/"):
                memory.seek(int(words[0].split("-")[1], 16) - 4096)
                if MARK in memory.read(4096):
                    found.append(words[-1])
    return found


def test_the_code_lies_in_one_file_that_stays(target):
    """The process may unload any other file, and put data there."""
    one = target("time.sleep(100)", first="import ctypes, json, sqlite3, zlib")
    for _ in range(5):
        leakgraph.attach(one.pid).close()
    (file,) = marked_files(one.pid)
    program = os.path.realpath(f"/proc/{one.pid}/exe")
    names = ("libpython", "libc", "ld-", "libm", "libpthread")
    assert file == program or Path(file).name.startswith(names)


#: Maps files, as what reads or emulates programs does. The last one lies first.
READS = """
import mmap
for path in {paths!r}:
    with open(path, 'rb') as file:
        private = {{'flags': mmap.MAP_PRIVATE, 'prot': mmap.PROT_READ}}
        kept.append(mmap.mmap(file.fileno(), 0, **private))
print('mapped', flush=True)
time.sleep(100)
"""


def mapped_elsewhere():
    """List the files that a Python has loaded and that attach searches."""
    names = re.findall(r"/\S+$", Path("/proc/self/maps").read_text(), re.MULTILINE)
    return sorted(x for x in {*names} if re.search(r"/(python|libpython|libc|ld-)", x))


def test_functions_in_files_that_are_only_read(target):
    """Whoever calls what lies there, dies."""
    files = mapped_elsewhere()
    assert len(files) > 2
    for paths in [*([one] for one in files), files]:
        one = target(READS.format(paths=paths))
        assert one.process.stdout.readline() == "mapped\n"
        before = one.traces()
        leakgraph.attach(one.pid).close()
        assert one.traces() == before
        assert one.process.poll() is None


SHARES = """
libc = ctypes.CDLL(None)
code = mmap.mmap(-1, 99, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
# The child of vfork() waits until its parent's thread allows it to end.
code.write(bytes.fromhex('b83a0000000f05 85c0 7401 c3 f390 833f00 74f9'))
code.write(bytes.fromhex('b83c000000 31ff 0f05'))
begin = ctypes.addressof(ctypes.c_char.from_buffer(code))
go = ctypes.c_int(0)
def allow():
    os.read(pipe, 1)
    go.value = 1
pipe = os.open({path!r}, os.O_RDWR)
threading.Thread(target=allow, daemon=True).start()
ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_void_p)(begin)(ctypes.addressof(go))
print('goes on', flush=True)
time.sleep(100)
"""


def test_a_child_that_shares_the_memory_of_its_parent(target, tmp_path):
    path = str(tmp_path / "pipe")
    os.mkfifo(path)
    one = target(SHARES.format(path=path), first="import mmap")
    children = Path(f"/proc/{one.pid}/task/{one.pid}/children")
    while not children.read_text():
        pass
    text = refused(int(children.read_text()), timeout=1)
    assert "shares the memory of its parent" in text
    Path(path).write_text("x", encoding="ascii")
    assert one.process.stdout.readline() == "goes on\n"
    assert marked_files(one.pid) == []


runs_scripts = pytest.mark.skipif(
    sys.version_info < (3, 14), reason="CPython 3.14 runs scripts of others"
)
is_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
COMPUTES = WAITS["computes"][0]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder for temporary files."""
    made = tmp_path / "temporary"
    made.mkdir()
    monkeypatch.setenv("TMPDIR", str(made))
    return made


@runs_scripts
@pytest.mark.parametrize("wait", ["computes", "has busy threads"])
def test_a_script_leaves_nothing(target, folder, wait):
    source, first = WAITS[wait]
    tells = (
        "signal.signal(signal.SIGUSR2, lambda *_: print(facts() == before, flush=True))"
    )
    one = target(source, first=f"{first}\n{tells}", errors=subprocess.PIPE)
    before = one.traces()
    for _ in range(3):
        with leakgraph.attach(one.pid, method="remote-exec") as snap:
            assert snap.info()["attach.method"] == "remote-exec"
            assert len(snap.select("type:__main__.Kept")) == 1000
        assert one.traces() == before
    os.kill(one.pid, signal.SIGUSR2)
    assert one.process.stdout.readline() == "True\n"
    assert os.listdir(folder) == []
    assert one.end() == ""


WAKES = """
pipe = os.open({path!r}, os.O_RDWR)
before = facts()
os.read(pipe, 1)
print(facts() == before, flush=True)
time.sleep(100)
"""


@pytest.fixture
def sleeper(target, tmp_path):
    """Start a target that runs no Python code until the test wakes it."""
    path = str(tmp_path / "pipe")
    os.mkfifo(path)
    one = target(WAKES.format(path=path), errors=subprocess.PIPE)
    while not one.reads(path):
        time.sleep(0.001)

    def wakes(*first):
        Path(path).write_text("x", encoding="ascii")
        for line in first:
            assert one.process.stdout.readline() == line
        assert one.process.stdout.readline() == "True\n"

    one.wakes = wakes
    return one


def test_a_process_that_runs_no_code_runs_no_script(sleeper, folder):
    before = sleeper.traces()
    with leakgraph.attach(sleeper.pid) as snap:
        assert snap.info()["attach.method"] == "ptrace"
    text = refused(sleeper.pid, timeout=1, method="remote-exec")
    reason = "has not run the script in time, and will not"
    if sys.version_info < (3, 14):
        reason = "runs a Python older than 3.14, which runs no script of others"
    assert text == f"process {sleeper.pid} {reason}: use --method ptrace"
    sleeper.wakes()
    assert sleeper.traces() == before
    assert os.listdir(folder) == []
    assert sleeper.end() == ""


@runs_scripts
def test_who_asks_for_a_script_is_killed(sleeper, folder):
    """The process removes what is left when it runs the script."""
    before = sleeper.traces()
    kills_itself = (
        "import leakgraph, os\nleakgraph.attach("
        f"{sleeper.pid}, progress=lambda *_: os.kill(os.getpid(), 9))"
    )
    done = subprocess.run([sys.executable, "-c", kills_itself], check=False)
    assert done.returncode == -signal.SIGKILL
    left = [
        name for name in os.listdir(folder) if (folder / name / "script.py").exists()
    ]
    assert len(left) == 1
    sleeper.wakes()
    while left[0] in os.listdir(folder) or sleeper.traces() != before:
        assert sleeper.process.poll() is None
    assert sleeper.end() == ""


def ask(pid, script):
    """Have the process run a script, as another debugger does."""
    return f"import sys; sys.remote_exec({pid}, {str(script)!r})"


@pytest.fixture
def script(tmp_path):
    """Write the script of another debugger, which says that it ran."""
    made = tmp_path / "other.py"
    made.write_text("print('another script', flush=True)")
    return made


@runs_scripts
def test_a_request_of_another_debugger_before_that_of_leakgraph(
    sleeper, script, folder, python, preload
):
    """It comes after leakgraph has seen that there is none."""
    command = f"{sys.executable} -c {shlex.quote(ask(sleeper.pid, script))}"
    options = {"LD_PRELOAD": preload("meanwhile"), "MEANWHILE": command}
    words = ("attach", sleeper.pid, "--method", "remote-exec", "--timeout", "1")
    done = python("-m", "leakgraph", *words, **options)
    assert "has yet to run the script of another debugger" in done.err
    sleeper.wakes("another script\n")
    assert os.listdir(folder) == []


@runs_scripts
def test_a_request_of_another_debugger_while_leakgraph_waits(sleeper, script, folder):
    asked = []

    def meanwhile(*_):
        if os.listdir(folder) and not asked:
            asked.append(True)
            exec(ask(sleeper.pid, script))

    text = refused(sleeper.pid, timeout=1, method="remote-exec", progress=meanwhile)
    assert asked and "has not run the script in time" in text
    sleeper.wakes("another script\n")
    assert os.listdir(folder) == []


OTHER_USER = """
os.setgid(65534)
os.setuid(65534)
ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # as before the change of the user
print('another user', flush=True)
"""


@pytest.fixture
def stranger(target):
    """Start a target of another user."""

    def start(source, *command, **options):
        one = target(OTHER_USER + source, *command, **options)
        assert one.process.stdout.readline() == "another user\n"
        return one

    return start


@pytest.fixture
def trap(tmp_path):
    """Make a folder with files of root that are called as those of a script."""
    made = tmp_path / "trap"
    made.mkdir()
    for name in ("script.py", "socket"):
        (made / name).touch(0o600)
    yield made
    assert sorted(os.listdir(made)) == ["script.py", "socket"]
    assert {(made / name).stat().st_mode for name in os.listdir(made)} == {0o100600}


@runs_scripts
@is_root
def test_another_user_puts_a_link_in_the_place_of_the_folder(stranger, folder, trap):
    one = stranger("time.sleep(100)")

    def swap(*_):
        for made in folder.glob("leakgraph-*"):
            if made.stat().st_uid == 65534 and not made.is_symlink():
                made.rename(trap.parent / made.name)
                made.symlink_to(trap)

    text = refused(one.pid, timeout=1, method="remote-exec", progress=swap)
    assert "has not run the script in time" in text
    assert [made.is_symlink() for made in folder.iterdir()] == [True]


@runs_scripts
@is_root
def test_another_user_puts_a_link_in_the_place_of_the_socket(
    stranger, trap, python, preload
):
    """As soon as that user may: the folder has to be complete by then."""
    one = stranger(COMPUTES)
    with TemporaryDirectory() as folder:
        os.chmod(folder, 0o1777)
        forged = {
            "LD_PRELOAD": preload("links"),
            "LINKS_TO": str(trap / "socket"),
            "TMPDIR": folder,
        }
        words = ("attach", one.pid, "--method", "remote-exec")
        done = python("-m", "leakgraph", *words, **forged)
        assert f"snapshot of process {one.pid} saved" in done.err, done.err
        assert os.listdir(folder) == []


@is_root
def test_a_process_names_one_of_another_user_as_its_child(stranger, preload, tmp_path):
    """It is not ended, as the child is when somebody interrupts leakgraph."""

    def interrupt(phase, _):
        if phase == "capturing":
            raise KeyboardInterrupt

    with subprocess.Popen(["sleep", "100"]) as other:
        one = stranger("time.sleep(100)", "env", f"STRANGER={other.pid}")
        options = (False, True, False, False, False, 30, "ptrace", interrupt)
        with pytest.raises(KeyboardInterrupt):
            _core._attach(one.pid, preload("stranger"), str(tmp_path / "s"), *options)
        other.terminate()
        assert other.wait() == -signal.SIGTERM


@pytest.mark.parametrize("what", ["nothing", "splice", "pipe"])
def test_a_pipe_that_waits_holds_no_ctrl_c_up(target, preload, python, what):
    with subprocess.Popen(["sleep", "100"]) as other:
        words = ("env", "WAITS=1", f"STRANGER={other.pid}")
        one = target("time.sleep(100)", *words)
        done = python(
            "-c",
            "from leakgraph import _core\n"
            "def interrupt(phase, _):\n"
            "    if phase == 'capturing':\n"
            "        raise KeyboardInterrupt\n"
            "options = (False, True, False, False, False, 30, 'ptrace', interrupt)\n"
            "try:\n"
            f"    _core._attach({one.pid}, {preload('stranger')!r}, 's', *options)\n"
            "except KeyboardInterrupt:\n"
            "    print('interrupted')\n",
            timeout=30,
            LD_PRELOAD=preload("refused"),
            REFUSED=what,
        )
        other.kill()
    assert done.out == "interrupted\n", done.err


@pytest.mark.parametrize("file", ["/dev/null", "kept"])
def test_a_process_that_sends_no_pipe(target, preload, tmp_path, file):
    path = tmp_path / file
    if file == "kept":
        path.write_text("what the process has written")
    with subprocess.Popen(["sleep", "100"]) as other:
        one = target("time.sleep(100)", "env", f"STRANGER={other.pid}", f"SENDS={path}")
        options = (False, True, False, False, False, 30, "ptrace", None)
        try:
            with pytest.raises(leakgraph.Error, match="the process sent no pipe for"):
                _core._attach(
                    one.pid, preload("stranger"), str(tmp_path / "s"), *options
                )
        finally:
            other.kill()
    assert file != "kept" or path.read_text() == "what the process has written"


@pytest.mark.parametrize("what", ["nothing", "socket"])
def test_another_thread_closes_the_end_that_leakgraph_takes(
    target, preload, python, tmp_path, what
):
    """What has its number then gets nothing, and leakgraph tries again."""
    other = tmp_path / "other"
    other.touch()
    one = target(COMPUTES)
    before = one.traces()
    forged = {"LD_PRELOAD": preload("closed"), "CLOSED": what, "OTHER": str(other)}
    done = python(*ATTACH, one.pid, "--timeout", 1, **forged)
    assert "another thread of it closes files that are not its own" in done.err
    assert one.traces() == before and other.read_text() == ""
    done = python(*ATTACH, one.pid, CLOSED_ONCE="1", **forged)
    assert done.code == 0 and "by ptrace" in done.err, done.err
    assert one.traces() == before


@pytest.mark.parametrize("what", ["splice", "pipe"])
def test_one_of_two_ways_to_read_the_childs_reports(target, preload, python, what):
    one = target(COMPUTES)
    forged = {"LD_PRELOAD": preload("refused"), "REFUSED": what}
    done = python(*ATTACH, one.pid, **forged)
    assert done.code == 0, done.err
    assert one.process.poll() is None


def test_no_way_to_read_the_childs_reports(target, preload, python):
    one = target(COMPUTES)
    before = one.traces()
    forged = {"LD_PRELOAD": preload("refused"), "REFUSED": "both"}
    done = python(*ATTACH, one.pid, **forged)
    assert done.code != 0
    assert "cannot read what the capturing child reports (Function not" in done.err
    assert "let leakgraph call vmsplice()" in done.err
    assert one.traces() == before


HOOKS = {
    "Python": "sys.addaudithook(lambda *_: None)",
    "C": "ctypes.pythonapi.PySys_AddAuditHook(ctypes.cast(ctypes.pythonapi."
    "Py_IsFinalizing, ctypes.c_void_p), None)",
}


@runs_scripts
@pytest.mark.parametrize("hooks", HOOKS)
def test_no_script_where_there_are_audit_hooks(target, hooks):
    """A script would call them."""
    one = target(COMPUTES, first=HOOKS[hooks])
    assert "has audit hooks, which a script would call" in refused(
        one.pid, method="remote-exec"
    )
    with leakgraph.attach(one.pid) as snap:
        assert snap.info()["attach.method"] == "ptrace"


@runs_scripts
def test_a_process_without_remote_debugging(target):
    one = target(COMPUTES, options=("-X", "disable-remote-debug"))
    text = refused(one.pid, method="remote-exec")
    assert "has remote debugging disabled" in text
    with leakgraph.attach(one.pid) as snap:
        assert len(snap.select("type:__main__.Kept")) == 1000
        assert snap.info()["attach.method"] == "ptrace"


def test_a_method_that_does_not_exist(target):
    with pytest.raises(leakgraph.ArgumentError, match="ptrace, not gdb"):
        leakgraph.attach(target("time.sleep(100)").pid, method="gdb")


ASKED = """
ends = time.monotonic() + 1
left = ctypes.CDLL(None).sleep(1)
early = time.monotonic() < ends - 0.1  # the clocks of both may differ a little
polled = ctypes.CDLL(None, use_errno=True).poll(None, 0, 200)
print(left, early, polled, facts() == before, flush=True)
"""


def test_a_wait_in_c_lasts_as_long_as_it_should(target):
    one = target(ASKED)
    leakgraph.attach(one.pid).close()
    assert one.process.stdout.readline().split() == ["0", "False", "0", "True"]


#: Counts down in a register, waits for a signal, and returns, all in one call in C.
COUNTS = """
import mmap
code = mmap.mmap(-1, 99, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(bytes.fromhex('4889f9 48ffc9 75fb b822000000 0f05 c3'))
begin = ctypes.addressof(ctypes.c_char.from_buffer(code))
count = ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_long)(begin)
"""


def test_a_call_that_is_asked_for_and_not_needed_does_no_harm(target):
    """The main thread only waits after the request to call. A second request finds it
    there, and it makes the first call when it runs Python code again.
    """
    one = target(
        "count(2 * 10**9)\nprint(facts() == before, flush=True)\ntime.sleep(100)",
        first=COUNTS,
    )
    before = one.traces()
    leakgraph.attach(one.pid, timeout=600).close()
    # A signal that comes while it still counts does not end its wait.
    while not select.select([one.process.stdout], [], [], 0.1)[0]:
        one.process.send_signal(signal.SIGUSR1)
    assert one.process.stdout.readline() == "True\n"
    assert one.traces() == before


def test_vectors_and_results_stay(target):
    source = """
import array, zlib
data = array.array('d', [x / 7 for x in range(50_000)])
def once():
    return hash((sum(x * x for x in data), zlib.crc32(data.tobytes())))
first, count, same = once(), 0, True
asked = []
signal.signal(signal.SIGUSR1, lambda *_: asked.append(1))
print('goes', flush=True)
while not asked:
    same = same and once() == first
print(same, flush=True)
"""
    one = target(source)
    one.process.stdout.readline()
    for _ in range(5):
        leakgraph.attach(one.pid).close()
    os.kill(one.pid, signal.SIGUSR1)
    assert one.process.stdout.readline() == "True\n"


TIMED = {
    "poll": "select.poll().poll(100_000)",
    "sleep": "time.sleep(100)",
    "socket": "one.settimeout(100)\none.recv(1)",
    "lock": "lock.acquire(timeout=100)",
    "queue": "queue.Queue().get(timeout=100)",
}


@pytest.mark.parametrize("wait", TIMED)
def test_a_wait_that_goes_on_after_an_attach(target, wait):
    """The kernel continues it by another call."""
    first = "import queue, select, socket\none, other = socket.socketpair()\n"
    one = target(TIMED[wait], first=first + "lock = threading.Lock()\nlock.acquire()")
    for _ in range(3):
        leakgraph.attach(one.pid, timeout=10).close()


WAKES_UP = """
class Woken(Exception): pass
def wake(*_):
    raise Woken
signal.signal(signal.SIGUSR1, wake)
try:
    print('waits', flush=True)
    {}
except Woken:
    print('woken', flush=True)
time.sleep(100)
"""
INTERRUPTED = {**TIMED, "read": "one.recv(1)", "thread": "threading.Event().wait()"}


@pytest.mark.parametrize("wait", INTERRUPTED)
def test_a_signal_during_a_visit_ends_the_wait(target, wait):
    """The main thread blocks other signals while it is in the code of leakgraph."""
    first = "import queue, select, socket\none, other = socket.socketpair()\n"
    first += "lock = threading.Lock()\nlock.acquire()"
    one = target(WAKES_UP.format(INTERRUPTED[wait].replace("\n", ";")), first=first)
    one.process.stdout.readline()
    free = one.status("SigBlk")
    sent = False
    with ThreadPoolExecutor(1) as pool:
        while not sent:
            attach = pool.submit(leakgraph.attach, one.pid, method="ptrace")
            while not attach.done() and not sent:
                sent = one.status("SigBlk") != free
            one.process.send_signal(signal.SIGUSR1) if sent else None
            attach.result().close()
    assert one.process.stdout.readline() == "woken\n"


@pytest.fixture
def interrupted(python, preload):
    """Attach to a target that waits, and send it a signal while its main thread is
    asked whether the processor answers CPUID. Return what leakgraph says.
    """

    def attach(one, number=signal.SIGUSR1):
        assert one.process.stdout.readline() == "waits\n"
        while one.status("State") != "S":
            time.sleep(0.001)
        forged = {"CPUID_ERROR": "0", "CPUID_SIGNAL": str(int(number))}
        done = python(*ATTACH, one.pid, LD_PRELOAD=preload("cpuid"), **forged)
        assert done.code == 0, done.err
        return done.err

    return attach


@pytest.mark.parametrize("wait", INTERRUPTED)
def test_a_signal_during_a_question_ends_the_wait(target, interrupted, wait):
    first = "import queue, select, socket\none, other = socket.socketpair()\n"
    first += "lock = threading.Lock()\nlock.acquire()"
    one = target(WAKES_UP.format(INTERRUPTED[wait].replace("\n", ";")), first=first)
    interrupted(one)
    assert one.process.stdout.readline() == "woken\n"


#: Starts a program that blocks a signal in all its threads.
BLOCKS = """
import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
os.execv(sys.argv[1], sys.argv[1:])
"""


def test_a_thread_that_waits_beside_others_gets_signals_itself(target, interrupted):
    """Nothing would tell of a signal that is on the way to another thread."""
    one = target(
        WAKES_UP.format(INTERRUPTED["sleep"]),
        *(sys.executable, "-c", BLOCKS),
        first="signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGUSR1])",
    )
    assert "it gets the signal" in interrupted(one)
    assert one.process.stdout.readline() == "woken\n"


#: Lets C code handle a signal that Python ignores.
HANDLED_IN_C = """
import ctypes
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGPIPE])
library = ctypes.CDLL(None)
library.signal.argtypes = [ctypes.c_int, ctypes.c_void_p]
library.signal(signal.SIGPIPE, ctypes.cast(library.abs, ctypes.c_void_p))
"""


def test_a_handler_of_c_code_waits_for_the_visits_end(target, interrupted):
    """It may leave the stub, whatever Python knows of the signal."""
    blocks = BLOCKS.replace("SIGUSR1", "SIGPIPE")
    one = target(
        "print('waits', flush=True)\ntime.sleep(100)",
        *(sys.executable, "-c", blocks),
        first=HANDLED_IN_C,
    )
    assert "it gets the signal" not in interrupted(one, signal.SIGPIPE)
    assert int(one.status("SigCgt"), 16) >> signal.SIGPIPE - 1 & 1
    assert int(one.status("ShdPnd"), 16) == 0


#: C code puts a handler of its own in the place of Python's.
JUMPS = """
print('waits', flush=True)
print('left' if library.wait_for_byte(os.pipe()[0]) == 0 else 'read', flush=True)
time.sleep(100)
"""


def test_a_handler_that_jumps_does_not_leave_the_stub(target, interrupted, preload):
    """The thread would go on with all signals blocked."""
    first = "signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGUSR1])"
    first += "\nsignal.signal(signal.SIGUSR1, lambda *_: None)"
    first += f"\nlibrary = ctypes.CDLL({str(preload('jumps'))!r})"
    one = target(JUMPS, *(sys.executable, "-c", BLOCKS), first=first)
    assert "it gets the signal" not in interrupted(one)
    assert one.process.stdout.readline() == "left\n"
    assert one.status("SigBlk") == "0" * 16


FORKS = """
def fork():
    if os.fork() == 0:
        print(os.getpid(), flush=True)
    time.sleep(100)
threading.Thread(target=fork, daemon=True).start()
time.sleep(100)
"""


def test_a_process_that_a_thread_has_forked(target):
    one = target(FORKS)
    child = int(one.process.stdout.readline())
    try:
        for _ in range(2):
            with leakgraph.attach(child) as snap:
                assert len(snap.select("type:__main__.Kept")) == 1000
    finally:
        os.kill(child, signal.SIGKILL)


def test_several_attach_at_once(target):
    one = target("while True: time.sleep(0.001)")
    before = one.traces()

    def attach(_):
        with leakgraph.attach(one.pid, method="ptrace") as snap:
            return len(snap.select("type:__main__.Kept"))

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(attach, range(12))) == [1000] * 12
    assert one.traces() == before


def refused(pid, **options):
    with pytest.raises(leakgraph.Error) as caught:
        leakgraph.attach(pid, **options)
    text = str(caught.value)
    assert "\n" not in text and ". " not in text
    return text


def refused_of(*command):
    with subprocess.Popen(command) as other:
        try:
            maps = Path(f"/proc/{other.pid}/maps")
            while "[vdso]" not in maps.read_text():  # exec maps the program late
                pass
            return refused(other.pid)
        finally:
            other.kill()


ENDS = """
libc = ctypes.CDLL(None)
late = ctypes.cast(libc.sleep, ctypes.c_void_p)
libc.__cxa_atexit(late, ctypes.c_void_p(100), None)
"""


def waits_in(one, *calls):
    """Whether the main thread waits in a system call of these numbers."""
    call = Path(f"/proc/{one.pid}/syscall").read_text().split()[0]
    return call in map(str, calls)


def test_after_the_interpreter_has_ended(target):
    one = target(ENDS)
    sleeps = (219, 230)  # restarted, or for the first time
    while not waits_in(one, *sleeps):
        time.sleep(0.001)
    # By the second time, the other thread has ended that wanted the GIL.
    for _ in range(2):
        before = one.traces()
        said = refused(one.pid, timeout=1)
        assert "its Python has not started yet, or has ended" in said
        while not waits_in(one, *sleeps):
            assert one.process.poll() is None
    assert one.traces() == before


def test_a_process_that_has_just_begun():
    for _ in range(4):
        source = "import json, sys; print(json.dumps('fine'), flush=True)"
        with subprocess.Popen(
            [sys.executable, "-c", source + "; sys.stdin.read()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as one:
            leakgraph.attach(one.pid).close()
            assert one.stdout.readline() == '"fine"\n'
            one.communicate()
            assert one.returncode == 0


FILTER = """
class Part(ctypes.Structure):
    _fields_ = [('c', ctypes.c_uint16), ('t', ctypes.c_uint8), ('f', ctypes.c_uint8),
                ('k', ctypes.c_uint32)]
class Program(ctypes.Structure):
    _fields_ = [('size', ctypes.c_uint16), ('parts', ctypes.POINTER(Part))]
# Load the number of the call; if it is CALL, answer ACTION; else permit it.
parts = [(0x20, 0, 0, 0), (0x15, 0, 1, CALL), (6, 0, 0, ACTION), (6, 0, 0, 0x7fff0000)]
filter = Program(4, (Part * 4)(*parts))
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, ctypes.byref(filter), 0, 0) == 0
"""
#: No call; and what the filter may answer, at last 0 without having done anything.
NONE, REFUSE, KILL = 0xFFFF, 0x50001, 0x80000000
ALLOW, NOTHING_DONE = 0x7FFF0000, 0x50000


SEMAPHORE = """
class Operation(ctypes.Structure):
    _fields_ = [(name, ctypes.c_short) for name in ("number", "change", "flags")]
libc = ctypes.CDLL(None, use_errno=True)
one = libc.semget(0, 1, 0o1600)
print(one, flush=True)
result = libc.semtimedop(one, ctypes.byref(Operation(0, -1, 0)), 1, None)
print(result, ctypes.get_errno(), flush=True)
"""


@pytest.mark.parametrize("filtered", [False, True])
def test_a_wait_that_any_stop_would_end(target, filtered):
    """Nor does the process try the calls that a filter may refuse."""
    permits = f"CALL, ACTION = {NONE}, {ALLOW}\n{FILTER}" if filtered else ""
    one = target(permits + SEMAPHORE)
    number = int(one.process.stdout.readline())
    while not waits_in(one, 220):
        time.sleep(0.001)
    text = refused(one.pid, timeout=1, filtered=filtered)
    assert "waits for a semaphore of System V" in text
    ctypes.CDLL(None).semctl(number, 0, 0)  # removes it
    assert one.process.stdout.readline() == f"-1 {errno.EIDRM}\n"


#: Code in C that keeps the GIL, reads a byte, and calls a function where only so many
#: bytes of the main thread's stack are left.
LOW = """
import mmap, resource
code = mmap.mmap(-1, 99, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(bytes.fromhex('55 4889e5 4989f8 4989f1 89d7 4883ec10 4889e6 ba01000000'))
code.write(bytes.fromhex('31c0 0f05 4c89c4 31ff 41ffd1 4889ec 5d c3'))
begin = ctypes.addressof(ctypes.c_char.from_buffer(code))
types = ctypes.c_ulong, ctypes.c_void_p, ctypes.c_int
run = ctypes.PYFUNCTYPE(ctypes.c_long, *types)(begin)
resource.setrlimit(resource.RLIMIT_STACK, (2**20, -1))
mapped = next(x for x in open('/proc/self/maps') if '[stack]' in x).split()[0]
bottom = int(mapped.split('-')[1], 16) - 2**20
asked = []
signal.signal(signal.SIGUSR1, lambda *_: asked.append(1))
pipe = os.open({path!r}, os.O_RDWR)
pause = ctypes.cast(ctypes.CDLL(None).pause, ctypes.c_void_p)
@ctypes.CFUNCTYPE(None)
def compute():
    while not asked: sum(range(100))
{user}
before = facts()
run(bottom + {room}, ctypes.cast({call}, ctypes.c_void_p), pipe)
print(len(asked) > 0, facts() == before, flush=True)
time.sleep(100)
"""


@pytest.fixture
def low(target, tmp_path):
    """Start a target that calls a function when a byte comes: low(function, room).

    user: a statement that makes it another user's.
    """
    path = tmp_path / "pipe"
    os.mkfifo(path)

    def start(call, room, user=""):
        one = target(LOW.format(path=str(path), call=call, room=room, user=user))
        while not one.reads(path):
            time.sleep(0.001)
        one.goes_on = lambda: path.write_text("x", encoding="ascii")
        return one

    return start


def test_a_wait_with_little_room_on_the_stack(low):
    one = low("pause", 8000)
    one.goes_on()
    while not waits_in(one, 34):
        time.sleep(0.001)
    text = refused(one.pid, timeout=2)
    assert "its main thread has little room left on its stack" in text
    while waits_in(one, 34):
        one.process.send_signal(signal.SIGUSR1)
    assert one.process.stdout.readline() == "True True\n"


@pytest.mark.once
@is_root
def test_little_room_on_the_stack_of_another_user(low):
    """The root of a container may not ask for the limits of another user's process."""
    one = low("pause", 8000, "os.setuid(65534); ctypes.CDLL(None).prctl(4, 1)")
    one.goes_on()
    while not waits_in(one, 34):
        time.sleep(0.001)
    text = refused(one.pid, timeout=2)
    assert "its main thread has little room left on its stack" in text


@pytest.mark.parametrize("method", ["auto", "ptrace"])
def test_little_room_on_the_stack_when_the_interpreter_calls(low, method):
    """The main thread computes there once leakgraph has asked for a pending call."""
    one = low("compute", 40_000)
    before = one.traces()
    with ThreadPoolExecutor(1) as pool:
        attach = pool.submit(refused, one.pid, method=method, timeout=5)
        while method == "ptrace" and not marked_files(one.pid) and not attach.done():
            time.sleep(0.001)
        one.goes_on()
        text = attach.result()
    assert "its main thread has little room left on its stack" in text
    one.process.send_signal(signal.SIGUSR1)
    assert one.process.stdout.readline() == "True True\n"
    leakgraph.attach(one.pid).close()
    assert one.traces() == before


#: A native handler of a signal that interrupts a computation in C, and waits.
HANDLES = (
    COUNTS
    + """
libc = ctypes.CDLL(None)
libc.signal(signal.SIGUSR2, ctypes.cast(libc.pause, ctypes.c_void_p))
print('counts', flush=True)
count(2 * 10**9)
print(facts() == before, flush=True)
"""
)


def test_a_wait_in_the_handler_of_a_signal(target):
    """The handler may have interrupted malloc(), for example."""
    one = target(HANDLES)
    one.process.stdout.readline()
    while not waits_in(one, 34):
        one.process.send_signal(signal.SIGUSR2)
    assert "runs or waits in C code" in refused(one.pid, timeout=3)
    while waits_in(one, 34):
        one.process.send_signal(signal.SIGUSR1)
    assert one.process.poll() is None


#: A handler that interrupts who holds the lock of the queue of pending calls.
HOLDS = """
main = ctypes.pythonapi.PyInterpreterState_Main
main.restype = ctypes.c_void_p
lock = ctypes.c_void_p.from_address(main() + 112)
assert ctypes.CDLL(None).sem_trywait(lock) == 0
"""
knows_the_lock = pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason="knows the lock of 3.11"
)


@knows_the_lock
def test_a_handler_that_may_have_interrupted_who_holds_the_lock(target):
    """A thread that asked for a pending call there would wait for itself."""
    one = target(HOLDS + HANDLES)
    one.process.stdout.readline()
    while not waits_in(one, 34):
        one.process.send_signal(signal.SIGUSR2)
    assert "its main thread may hold the lock of Python's pending calls" in refused(
        one.pid, timeout=2
    )
    assert waits_in(one, 34)


#: Code in C that holds the lock, and computes until a byte comes.
HOLDS_ON = """
import mmap
code = mmap.mmap(-1, 99, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(bytes.fromhex('c7470401000000 f390 833f00 74f9 c3'))
begin = ctypes.addressof(ctypes.c_char.from_buffer(code))
go = (ctypes.c_int * 2)()
def allow():
    while not go[1]: pass
    print('holds', flush=True)
    os.read(pipe, 1)
    go[0] = 1
pipe = os.open({path!r}, os.O_RDWR)
threading.Thread(target=allow, daemon=True).start()
ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_void_p)(begin)(ctypes.addressof(go))
ctypes.CDLL(None).sem_post(lock)
print('goes on', flush=True)
time.sleep(100)
"""


#: A wait of C code, during which Python is asked for a pending call.
WAITS_IN_C = """
library = ctypes.CDLL(None)
lock = ctypes.create_string_buffer(32)
print('waits', flush=True)
library.sem_timedwait(lock, (ctypes.c_long * 2)(int(time.time()) + 100, 0))
"""


@knows_the_lock
def test_no_handler_runs_while_a_thread_asks_for_a_pending_call(target, preload):
    """A handler may ask for one, too, and would wait for the lock of the queue."""
    forged = ("env", f"LD_PRELOAD={preload('pending')}")
    one = target(WAITS_IN_C, *forged, errors=subprocess.PIPE)
    one.process.stdout.readline()
    while not waits_in(one, 202):
        time.sleep(0.001)
    assert "runs or waits in C code" in refused(one.pid, timeout=1, method="ptrace")
    assert {*one.end().splitlines()} == {"SIGUSR1 is blocked"}


@knows_the_lock
def test_a_thread_that_holds_the_lock_of_the_queue_for_long(target, tmp_path):
    """However long it does: a pending call, asked for there, would wait for ever."""
    path = str(tmp_path / "pipe")
    os.mkfifo(path)
    one = target(HOLDS + HOLDS_ON.format(path=path))
    assert one.process.stdout.readline() == "holds\n"
    text = refused(one.pid, timeout=2)
    assert "its main thread may hold the lock of Python's pending calls" in text
    assert one.status("SigBlk") == "0" * 16
    Path(path).write_text("x", encoding="ascii")
    assert one.process.stdout.readline() == "goes on\n"
    leakgraph.attach(one.pid).close()


#: Code in C that computes until a byte comes, on a stack of its own or the usual one.
SPINS = """
import mmap
code = mmap.mmap(-1, 99, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(bytes.fromhex('4889e0 4885ff 7403 4889fc 50 c7460401000000'))
code.write(bytes.fromhex('f390 833e00 74f9 5c c3'))
begin = ctypes.addressof(ctypes.c_char.from_buffer(code))
go = (ctypes.c_int * 2)()
def allow():
    while not go[1]: pass
    {first}
    print('computes', flush=True)
    os.read(pipe, 1)
    go[0] = 1
pipe = os.open({path!r}, os.O_RDWR)
stack = mmap.mmap(-1, 2**16)
top = ctypes.addressof(ctypes.c_char.from_buffer(stack)) + 2**15
compute = ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)(begin)
threading.Thread(target=allow, daemon=True).start()
compute({stack}, ctypes.addressof(go))
print('goes on', flush=True)
time.sleep(100)
"""
#: Fills the queue in a pending call, which goes on in Python until a byte comes.
FILLS_AND_GOES_ON = """
told = []
@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
def first(_):
    fill()
    print('computes', flush=True)
    while not told: pass
    return 0
pipe = os.open({path!r}, os.O_RDWR)
threading.Thread(target=lambda: told.append(os.read(pipe, 1)), daemon=True).start()
ctypes.pythonapi.Py_AddPendingCall(first, None)
while not told: pass
print('goes on', flush=True)
time.sleep(100)
"""
FILLS_THE_QUEUE = """
call = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(lambda _: 0)
def fill():
    while ctypes.pythonapi.Py_AddPendingCall(call, None) == 0: pass
"""


@pytest.mark.parametrize(
    ("stack", "first", "said"),
    [
        ("top", "pass", "its main thread runs on the stack of a coroutine"),
        ("None", "fill()", "the queue of pending calls of its Python is full"),
    ],
)
def test_computations_that_leave_no_way(target, tmp_path, stack, first, said):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    spins = SPINS.format(path=str(path), stack=stack, first=first)
    one = target(FILLS_THE_QUEUE + spins)
    assert one.process.stdout.readline() == "computes\n"
    assert said in refused(one.pid, timeout=2, method="ptrace")
    path.write_text("x", encoding="ascii")
    assert one.process.stdout.readline() == "goes on\n"
    leakgraph.attach(one.pid).close()


def test_a_queue_that_is_full_while_python_runs(target, tmp_path):
    """The interpreter makes no pending call within another."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    one = target(FILLS_THE_QUEUE + FILLS_AND_GOES_ON.format(path=str(path)))
    assert one.process.stdout.readline() == "computes\n"
    before = one.traces()
    text = refused(one.pid, timeout=1, method="ptrace")
    assert "the queue of pending calls of its Python is full" in text
    assert one.traces() == before
    path.write_text("x", encoding="ascii")
    assert one.process.stdout.readline() == "goes on\n"
    leakgraph.attach(one.pid).close()


@pytest.mark.once
def test_python_on_another_thread_than_the_first(target, preload):
    one = target("time.sleep(100)", "env", f"LD_PRELOAD={preload('second')}")
    before = one.traces()
    said = refused(one.pid, timeout=1, method="ptrace")
    assert "its Python runs on another thread than the first" in said
    assert one.traces() == before
    assert one.process.poll() is None


@pytest.mark.once
def test_the_first_thread_has_ended(target):
    one = target("ctypes.CDLL(None).syscall(60, 0)")
    while one.status("State") != "Z":
        time.sleep(0.001)
    assert f"the first thread of process {one.pid} has ended" in refused(one.pid)
    assert one.process.poll() is None


@pytest.mark.once
def test_a_process_that_handles_its_system_calls_itself(target):
    handle = "ctypes.CDLL(None).prctl(59, 1, 0, 0, ctypes.byref(selector))"
    one = target(
        f"selector = ctypes.c_byte(0)\nprint({handle}, flush=True)\ntime.sleep(100)"
    )
    if one.process.stdout.readline() != "0\n":
        pytest.skip("the kernel does not do that (Linux 5.11 does)")
    before = one.traces()
    assert "or handles its system calls itself" in refused(one.pid)
    assert one.traces() == before


REPLACES = """
pipe = os.open({path!r}, os.O_RDWR)
keeps = [[i] for i in range(300_000)]
os.read(pipe, 1)
again = "import sys; print('again', flush=True); sys.stdin.read()"
os.execv(sys.executable, [sys.executable, "-c", again])
"""


def test_the_process_is_replaced_while_its_child_writes(target, tmp_path):
    path = str(tmp_path / "pipe")
    os.mkfifo(path)
    one = target(REPLACES.format(path=path))
    asked = []

    def replace(phase, *_):
        if phase != "attaching" and not asked:
            asked.append(phase)
            Path(path).write_text("x", encoding="ascii")

    with leakgraph.attach(one.pid, progress=replace) as snap:
        assert len(snap.select("type:__main__.Kept")) == 1000
    if not asked:
        Path(path).write_text("x", encoding="ascii")
    assert one.process.stdout.readline() == "again\n"
    assert one.process.communicate()[0] == "" and one.process.returncode == 0


#: A thread without the GIL executes another program when a byte comes.
EXECUTES = """
import mmap
pipe, room = os.open({path!r}, os.O_RDWR), ctypes.create_string_buffer(9)
argv = (ctypes.c_char_p * 2)(b'cat', None)
code = mmap.mmap(-1, 99, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(bytes.fromhex('4989d0 4989c9 ba01000000 31c0 0f05'))
code.write(bytes.fromhex('4c89c7 4c89ce 31d2 b83b000000 0f05'))
begin = ctypes.addressof(ctypes.c_char.from_buffer(code))
types = ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
execute = ctypes.CFUNCTYPE(ctypes.c_long, *types)(begin)
words = pipe, ctypes.addressof(room), {program!r}, ctypes.addressof(argv)
threading.Thread(target=execute, args=words, daemon=True).start()
keeps = b'x' * 2**26
time.sleep(100)
"""


def test_a_program_that_starts_during_the_fork_inherits_no_child(target, tmp_path):
    path, program = str(tmp_path / "pipe"), os.fsencode(shutil.which("cat"))
    os.mkfifo(path)
    one = target(EXECUTES.format(path=path, program=program))
    children = Path(f"/proc/{one.pid}/task/{one.pid}/children")
    asked = False
    with ThreadPoolExecutor(1) as pool:
        while not asked:
            attach = pool.submit(leakgraph.attach, one.pid, method="ptrace")
            while not attach.done() and not asked:
                asked = children.read_text() != ""
            if asked:
                Path(path).write_text("x", encoding="ascii")
            error = attach.exception()
            assert error is None or "has started another program" in str(error)
    while Path(f"/proc/{one.pid}/comm").read_text() != "cat\n":
        assert one.process.poll() is None
    assert children.read_text() == ""
    assert one.process.communicate("fine\n")[0] == "fine\n"


@pytest.mark.once
def test_no_such_process():
    assert "there is no process 4194305" in refused(2**22 + 1).lower()
    assert "is this one" in refused(os.getpid())


@pytest.mark.once
def test_not_python():
    assert refused_of("sleep", "100").endswith("(sleep) does not run CPython")


@pytest.mark.once
def test_the_child_that_runs_python_is_named():
    wrapped = [sys.executable, "-c", "print(1, flush=True); input()"]
    command = ["sh", "-c", '"$@"; true', "sh", *wrapped]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as shell:
        assert shell.stdout.readline() == "1\n"
        text = refused(shell.pid)
        (child,) = map(int, re.findall(r"; its child (\d+) does$", text))
        assert "does not run CPython; " in text
        assert Path(f"/proc/{child}/cmdline").read_bytes().endswith(b"input()\0")
        shell.communicate("\n")


@pytest.mark.once
def test_stopped_or_traced(target):
    one = target("time.sleep(100)")
    os.kill(one.pid, signal.SIGSTOP)
    os.waitid(os.P_PID, one.pid, os.WSTOPPED)
    assert "is stopped" in refused(one.pid)
    os.kill(one.pid, signal.SIGCONT)
    traced = target("ctypes.CDLL(None).ptrace(0)\nprint('traced', flush=True)\ninput()")
    traced.process.stdout.readline()
    assert f"is traced by process {os.getpid()}" in refused(traced.pid)


#: For each kind of control groups: the file that freezes, its words for that and for
#: the opposite, and the file that then has a line.
FREEZERS = {
    "cgroup2": ("cgroup.freeze", "1", "0", "cgroup.events", "frozen 1"),
    "cgroup": ("freezer.state", "FROZEN", "THAWED", "freezer.state", "FROZEN"),
}


def folder_of_groups(kind):
    """Find where the control groups are that freeze."""
    for row in Path("/proc/self/mountinfo").read_text().splitlines():
        left, _, right = row.partition(" - ")
        type_, _, options = right.split()[:3]
        if type_ == kind and (kind == "cgroup2" or "freezer" in options.split(",")):
            return Path(left.split()[4])
    return pytest.skip(f"no {kind} freezes here")


@contextlib.contextmanager
def frozen(one, kind):
    """Freeze a target."""
    file, freeze, thaw, state, line = FREEZERS[kind]
    group = folder_of_groups(kind) / f"leakgraph-{one.pid}"
    outer = group.parent / "cgroup.procs"
    try:
        group.mkdir()
        (group / "cgroup.procs").write_text(str(one.pid))
    except OSError as error:
        if group.exists():
            group.rmdir()
        pytest.skip(str(error))
    try:
        (group / file).write_text(freeze)
        while line not in (group / state).read_text().splitlines():
            time.sleep(0.001)
        yield
    finally:
        (group / file).write_text(thaw)
        outer.write_text(str(one.pid))
        group.rmdir()


@pytest.mark.once
@pytest.mark.parametrize("kind", FREEZERS)
def test_a_frozen_control_group(target, kind):
    one = target("time.sleep(100)")
    before = one.traces()
    with frozen(one, kind):
        assert f"the control group of process {one.pid} is frozen" in refused(one.pid)
    assert one.traces() == before
    leakgraph.attach(one.pid).close()


@pytest.mark.once
def test_a_process_that_may_not_make_memory_executable(target):
    refuse = "print(ctypes.CDLL(None).prctl(65, 1, 0, 0, 0), flush=True)"
    one = target(f"{refuse}\ntime.sleep(100)")
    if one.process.stdout.readline() != "0\n":
        pytest.skip("the kernel permits it always (Linux 6.3 has PR_SET_MDWE)")
    before = one.traces()
    text = refused(one.pid, timeout=1, method="ptrace")
    assert "it may not map memory, make it executable" in text
    assert one.traces() == before


OPENS = """
import resource
import shlex
resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
opened = []
try:
    while True: opened.append(os.dup(0))
except OSError: pass
for one in opened[:{left}]: os.close(one)
print('opened', flush=True)
while True: sum(range(100))
"""


@pytest.mark.parametrize("left", [0, 2])
def test_too_many_open_files(target, left):
    one = target(OPENS.format(left=left), errors=subprocess.PIPE)
    assert one.process.stdout.readline() == "opened\n"
    before = one.traces()
    text = refused(one.pid, timeout=2)
    assert "it has almost as many files open as it may (ulimit -n)" in text
    assert one.traces() == before
    assert one.end() == ""


MAPPINGS = int(Path("/proc/sys/vm/max_map_count").read_text())
#: A process with more would take too long to fill.
MOST_MAPPINGS = 1 << 18
#: Leaves the process a little less of something than the library needs.
FILLS = {
    "ulimit -v": """
size = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + 2**22, -1))
""",
    "ulimit -d": """
line = next(x for x in open('/proc/self/status') if x.startswith('VmData'))
resource.setrlimit(resource.RLIMIT_DATA, (1024 * int(line.split()[1]) + 2**16, -1))
""",
    "vm.max_map_count": """
most = int(open('/proc/sys/vm/max_map_count').read())
area, step = mmap.mmap(-1, most * 2**13), 2**13
protect, begin = ctypes.CDLL(None).mprotect, ctypes.c_char.from_buffer(area)
place = ctypes.addressof(begin)
while protect(ctypes.c_void_p(place), ctypes.c_size_t(step // 2), 1) == 0:
    place += step
for _ in range(2):
    place -= step
    protect(ctypes.c_void_p(place), ctypes.c_size_t(step // 2), 3)
""",
}


@pytest.mark.once
@pytest.mark.parametrize("limit", FILLS)
def test_no_room_for_the_library(target, limit):
    """The loader would leave a part of it in the process."""
    if limit == "vm.max_map_count" and MAPPINGS > MOST_MAPPINGS:
        pytest.skip(f"vm.max_map_count is {MAPPINGS}")
    first = f"import mmap, resource\n{FILLS[limit]}"
    one = target(f"{first}print('full', flush=True)\ntime.sleep(100)")
    assert one.process.stdout.readline() == "full\n"
    before = one.traces()
    text = refused(one.pid)
    assert f"as it may ({limit}): raise that limit" in text
    assert one.traces() == before


ALONE = """
resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
print('alone', flush=True)
time.sleep(100)
"""


@pytest.mark.once
@is_root
def test_a_process_that_may_not_fork(stranger):
    one = stranger(ALONE, first="import resource")
    assert one.process.stdout.readline() == "alone\n"
    before = one.traces()
    text = refused(one.pid)
    assert "cannot fork: Resource temporarily unavailable (raise ulimit -u" in text
    assert one.traces() == before


LIMITS = """
import resource
import shlex
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, {}))
"""


def test_a_limit_on_the_size_of_files_is_not_for_the_snapshot(target):
    one = target("time.sleep(100)", first=LIMITS.format(-1))
    limits = Path(f"/proc/{one.pid}/limits").read_text()
    with leakgraph.attach(one.pid) as snap:
        assert len(snap.select("type:__main__.Kept")) == 1000
    assert Path(f"/proc/{one.pid}/limits").read_text() == limits


def test_no_file_may_be_large_enough(target):
    one = target("time.sleep(100)", first=LIMITS.format(4096))
    before = one.traces()
    assert "may write up to 4096 bytes to a file: ulimit -f" in refused(one.pid)
    assert one.traces() == before


#: Calls that every attach needs. The process tries these,
CALLS = {
    "close": 3,
    "munmap": 11,
    "brk": 12,
    "sendmsg": 46,
    "recvmsg": 47,
    "clone": 56,
    "wait4": 61,
}
#: and not these.
UNTRIED = {
    "lseek": 8,
    "mincore": 27,
    "madvise": 28,
    "prctl": 157,
    "openat": 257,
    "newfstatat": 262,
    "pipe2": 293,
    "prlimit64": 302,
}
ARCH_PRCTL = 158


@pytest.fixture
def filtered(target):
    def start(call, action):
        words = f"CALL, ACTION = {call}, {action}"
        one = target(
            f"{words}\n{FILTER}\nprint('filtered', flush=True)\ntime.sleep(100)"
        )
        one.process.stdout.readline()
        return one

    return start


@pytest.mark.once
def test_a_filter_of_system_calls(filtered):
    one = filtered(NONE, REFUSE)
    assert "the filter refuses calls, as Docker's does, and ends no process" in refused(
        one.pid
    )
    leakgraph.attach(one.pid, filtered=True).close()


@pytest.mark.once
@pytest.mark.parametrize("call", CALLS)
def test_a_filter_that_refuses_a_call(filtered, call):
    one = filtered(CALLS[call], REFUSE)
    before = one.traces()
    with pytest.raises(leakgraph.UnsupportedError) as caught:
        leakgraph.attach(one.pid, filtered=True)
    assert str(caught.value) == (
        f"the seccomp filter of process {one.pid} refuses {call}() (Operation not "
        "permitted): nothing happened to it"
    )
    assert one.traces() == before


@pytest.mark.once
@pytest.mark.parametrize("call", UNTRIED)
def test_a_filter_that_refuses_a_call_does_no_harm(filtered, call):
    """Whether or not a snapshot comes of it."""
    one = filtered(UNTRIED[call], REFUSE)
    before = one.traces()
    with contextlib.suppress(leakgraph.Error):
        leakgraph.attach(one.pid, filtered=True).close()
    assert one.process.poll() is None
    assert one.traces() == before


#: Ends the process for all calls but these, once its main thread does no more.
ENDS_OTHERS = """
calls = {calls!r}
parts = [(0x15, len(calls) - i, 0, call) for i, call in enumerate(calls)]
parts = (0x20, 0, 0, 0), *parts, (6, 0, 0, 0x80000000), (6, 0, 0, 0x7fff0000)
filter = Program(len(parts), (Part * len(parts))(*parts))
pipe, _ = os.pipe()
libc.prctl(22, 2, ctypes.byref(filter), 0, 0)
os.read(pipe, 1)
"""


@pytest.mark.once
def test_a_filter_that_permits_the_calls_of_the_manual(target):
    page = (Path(__file__).parents[2] / "docs/attach.md").read_text()
    (names,) = re.findall(r"```text\n(alarm [^`]*)```", page)
    header = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
    if not header.exists():
        pytest.skip(f"there is no {header}")
    known = dict(re.findall(r"__NR_(\w+) (\d+)", header.read_text()))
    calls = [int(known[name]) for name in names.split()]
    permits = f"CALL, ACTION = {NONE}, {ALLOW}\n{FILTER}"
    one = target(permits + ENDS_OTHERS.format(calls=calls))
    while one.status("Seccomp_filters") != "2" or not waits_in(one, 0):
        time.sleep(0.001)
    for _ in range(2):
        with leakgraph.attach(one.pid, filtered=True, method="ptrace") as snap:
            assert len(snap.select("type:__main__.Kept")) == 1000
    assert one.process.poll() is None


@pytest.mark.once
def test_a_filter_that_ends_the_process(filtered):
    one = filtered(CALLS["wait4"], KILL)
    with pytest.raises(leakgraph.ChildError) as caught:
        leakgraph.attach(one.pid, filtered=True)
    assert str(caught.value) == (
        f"process {one.pid} ended when it called wait4(), which its seccomp filter "
        "forbids"
    )
    assert one.process.wait() == -signal.SIGSYS


@pytest.fixture
def faulting(filtered, preload, python):
    """Attach where the processor can refuse CPUID, and a filter forges the answer."""

    def start(action, *words):
        one = filtered(ARCH_PRCTL, action)
        before = one.traces()
        forged = {"LD_PRELOAD": preload("cpuid"), "CPUID_ERROR": "0"}
        words = ("-m", "leakgraph", "attach", one.pid, "--filtered", *words)
        done = python(*words, **forged)
        assert one.traces() == before
        return one, done

    return start


@pytest.mark.once
@pytest.mark.parametrize("method", ["auto", "remote-exec", "ptrace"])
def test_a_process_that_the_processor_refuses_cpuid(faulting, method):
    """Whatever is to load the library, the main thread has been asked before."""
    one, done = faulting(NOTHING_DONE, "--method", method)
    assert done.code != 0
    assert f"process {one.pid} has the processor refuse it CPUID" in done.err


@pytest.mark.once
def test_a_process_that_the_processor_answers_cpuid(faulting):
    _, done = faulting(ALLOW)
    assert done.code == 0, done.err


@pytest.mark.once
def test_a_process_that_cannot_be_asked_about_cpuid(faulting):
    _, done = faulting(REFUSE)
    assert "refuses arch_prctl() (Operation not permitted)" in done.err


@pytest.mark.once
@pytest.mark.parametrize("error", [errno.ENODEV, errno.EINVAL])
def test_a_processor_that_answers_cpuid_always(filtered, preload, python, error):
    """Nobody is asked what can only have one answer."""
    one = filtered(ARCH_PRCTL, KILL)
    forged = {"LD_PRELOAD": preload("cpuid"), "CPUID_ERROR": str(error)}
    words = ("-m", "leakgraph", "attach", one.pid, "--filtered")
    done = python(*words, **forged)
    assert done.code == 0, done.err
    assert one.process.poll() is None


#: Has the processor refuse RDTSC to the main thread (PR_SET_TSC), which then dies as
#: soon as it reads a clock: to wait for the GIL, for the collector, or to print.
REFUSES_TIME = """
gc.disable()
assert ctypes.CDLL(None).prctl(26, 2, 0, 0, 0) == 0
os.write(1, b'refuses\\n')
"""
COMPUTES_LATER = """
pipe = os.open({path!r}, os.O_RDWR)
def work():
    os.read(pipe, 1)
    print('computes', flush=True)
    while True: sum(range(100))
threading.Thread(target=work, daemon=True).start()
"""


@pytest.fixture
def timeless(target):
    """Start targets whose main threads may not read a clock."""

    def start(source, first=""):
        one = target(REFUSES_TIME + source, first=first)
        assert one.process.stdout.readline() == "refuses\n"
        return one

    return start


def is_refused_without_time(one, method):
    """Whether leakgraph says so, and leaves the process as it was.

    A script that has asked goes on to its end while leakgraph says what it was told.
    """
    before = one.traces()
    said = refused(one.pid, method=method)
    assert f"process {one.pid} has the processor refuse it RDTSC" in said
    for _ in range(1000):
        if one.process.poll() is not None or one.traces() == before:
            break
        time.sleep(0.01)
    return one.process.poll() is None and one.traces() == before


#: It dies of the script, before leakgraph can ask.
dies_of_scripts = sys.version_info[:2] == (3, 14)


@pytest.mark.parametrize("method", ["auto", "ptrace"])
@pytest.mark.parametrize("source", ["signal.pause()", COMPUTES])
def test_a_process_that_the_processor_refuses_the_time(timeless, source, method):
    if dies_of_scripts and (source, method) == (COMPUTES, "auto"):
        pytest.skip("CPython 3.14 reads a clock when it opens a script")
    assert is_refused_without_time(timeless(source), method)


def test_no_thread_without_the_time_waits_for_the_gil(timeless, tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    one = timeless("signal.pause()", COMPUTES_LATER.format(path=str(path)))
    while not waits_in(one, 34):
        time.sleep(0.001)
    path.write_text("x", encoding="ascii")
    assert one.process.stdout.readline() == "computes\n"
    assert is_refused_without_time(one, "ptrace")


@runs_scripts
@pytest.mark.skipif(dies_of_scripts, reason="CPython 3.14 reads a clock to open it")
def test_a_script_in_a_process_that_the_processor_refuses_the_time(timeless, folder):
    assert is_refused_without_time(timeless(COMPUTES), "remote-exec")
    assert os.listdir(folder) == []


#: Maps the files that it is told to, as an emulator maps its program.
EMULATOR = """
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int count, char **files) {
    for (int i = 1; i < count; i++) {
        int file = open(files[i], O_RDONLY);
        mmap(0, lseek(file, 0, SEEK_END), PROT_READ, MAP_PRIVATE, file, 0);
    }
    pause();
}
"""


@pytest.mark.once
def test_musl_and_static(target, tmp_path):
    shutil.copy("/bin/true", tmp_path / "ld-musl-x86_64.so.1")
    one = target(
        f"import mmap\nfile = open({str(tmp_path / 'ld-musl-x86_64.so.1')!r}, 'rb')\n"
        "private = {'flags': mmap.MAP_PRIVATE, 'prot': mmap.PROT_READ}\n"
        "kept.append(mmap.mmap(file.fileno(), 0, **private))\n"
        "print('mapped', flush=True)\ntime.sleep(100)"
    )
    one.process.stdout.readline()
    assert "uses musl" in refused(one.pid)
    source = tmp_path / "python.c"
    source.write_text(EMULATOR)
    program = tmp_path / "python3"
    subprocess.run(["cc", "-static", "-o", program, source], check=True)
    for files in [], mapped_elsewhere():
        text = refused_of(program, *files)
        assert "it is static, stripped, or emulated" in text


@pytest.mark.once
def test_nothing_that_is_shared_is_read(target, tmp_path):
    """A device may do something as soon as somebody reads from it."""
    path = tmp_path / "registers"
    path.write_bytes(bytes(mmap.PAGESIZE))
    one = target(
        f"import mmap\nfile = open({str(path)!r}, 'rb')\n"
        "kept.append(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ))\n"
        "print('mapped', flush=True)\ntime.sleep(100)"
    )
    one.process.stdout.readline()
    leakgraph.attach(one.pid).close()
    mappings = Path(f"/proc/{one.pid}/smaps").read_text()
    assert re.search(rf"{path}\nSize:.*\n(.*PageSize:.*\n)*Rss: +0 kB", mappings)


@pytest.mark.once
def test_no_library_for_its_version(target, monkeypatch):
    one = target("time.sleep(100)")
    monkeypatch.setattr(_core, "_attach_version", lambda *_: 98)
    with pytest.raises(leakgraph.UnsupportedError, match=r"runs Python 3\.98"):
        leakgraph.attach(one.pid)


@pytest.mark.once
def test_a_library_that_does_not_load(target, monkeypatch, tmp_path):
    one = target("time.sleep(100)")
    library = tmp_path / "empty.so"
    library.write_bytes(b"no library")
    monkeypatch.setattr(attached, "_find_library", lambda _: str(library))
    before = one.traces()
    assert "it does not load leakgraph's library: " in refused(one.pid)
    assert one.traces() == before


def test_never_at_a_safe_point(keeper):
    descriptors = keeper.traces()["fds"]
    text = refused(keeper.pid, timeout=1)
    assert "did not come to a safe point within 1 s" in text
    assert "another thread" not in text
    assert keeper.traces()["fds"] == descriptors
    keeper.goes_on()
    with leakgraph.attach(keeper.pid) as snap:
        assert snap.select("type:__main__.Kept")


def test_stopped_meanwhile(keeper):
    def stop(*_):
        os.kill(keeper.pid, signal.SIGSTOP)

    text = refused(keeper.pid, timeout=1, progress=stop)
    assert f"{keeper.pid} is stopped: continue it" in text
    os.kill(keeper.pid, signal.SIGCONT)
    keeper.goes_on()


@pytest.mark.once
def test_it_ends_meanwhile(keeper):
    def kill(*_):
        if keeper.process.poll() is None:
            keeper.process.kill()
            keeper.process.wait()

    assert refused(keeper.pid, progress=kill).lower().endswith(f"{keeper.pid} ended")


ATTACH = ("-m", "leakgraph", "attach", "--method", "ptrace")


@pytest.mark.once
@pytest.mark.parametrize("after", [0, 1, 2])
def test_visits_that_all_fail_hold_nobody_up(keeper, python, preload, after):
    """From the first, or from the one that asks for a pending call, or a later one."""
    forged = {"LD_PRELOAD": preload("hindered"), "HINDERED_AFTER": str(after)}
    done = python(*ATTACH, keeper.pid, "--timeout", 3, **forged)
    assert "did not come to a safe point within 3 s" in done.err
    assert float(done.err.split()[-2]) <= 3 + 6
    keeper.goes_on()


PRESSES_CTRL_C = """
import leakgraph, sys
ticks = []
def interrupt(*_):
    ticks.append(0)
    if len(ticks) > 20:
        raise KeyboardInterrupt
try:
    leakgraph.attach(int(sys.argv[1]), timeout=600, progress=interrupt)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.once
def test_visits_that_all_fail_hold_no_ctrl_c_up(keeper, python, preload):
    """What the pending call would close is given up long before the time is up."""
    forged = {"LD_PRELOAD": preload("hindered"), "HINDERED_AFTER": "1"}
    done = python("-c", PRESSES_CTRL_C, keeper.pid, **forged)
    assert done.out == "interrupted\n"
    assert float(done.err.split()[-2]) <= 60
    keeper.goes_on()


#: Has the dead child that a process has which is stopped in the middle of the fork.
DEAD_MAKER = """
if os.fork() == 0:
    open('/proc/self/comm', 'w').write('leakgraph fork')
    os._exit(0)
os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
"""


@pytest.mark.once
def test_a_process_that_is_stopped_during_the_fork_holds_nobody_up(
    target, python, preload
):
    one = target("time.sleep(100)", first=DEAD_MAKER)
    stops = (
        "import leakgraph, os\nleakgraph.attach("
        f"{one.pid}, timeout=1, progress=lambda *_: os.kill({one.pid}, 19))"
    )
    forged = {"LD_PRELOAD": preload("hindered"), "HINDERED_AFTER": "0"}
    done = python("-c", stops, **forged)
    assert f"{one.pid} is stopped: continue it" in done.err
    assert float(done.err.split()[-2]) <= 1 + 3


@pytest.mark.once
def test_a_dead_child_that_no_visit_can_remove_holds_nobody_up(target, python, preload):
    """The program is the one that leakgraph has found at the beginning."""
    one = target("time.sleep(100)", first=DEAD_MAKER)
    forged = {"LD_PRELOAD": preload("hindered"), "HINDERED_AFTER": "0"}
    done = python(*ATTACH, one.pid, "--timeout", 3, **forged)
    assert "did not come to a safe point within 3 s" in done.err
    assert float(done.err.split()[-2]) <= 3 + 6


@pytest.fixture
def sequence(preload):
    """Return what forges that the main thread is in a restartable sequence."""
    if not hasattr(ctypes.CDLL(None), "__rseq_offset"):
        pytest.skip("the C library has no area for restartable sequences")
    return {"LD_PRELOAD": preload("sequence")}


@pytest.mark.once
@pytest.mark.parametrize("told", [1, 0])
def test_a_restartable_sequence(target, python, sequence, told):
    """Linux tells where the area is; before 5.13, only the C library does."""
    one = target("while True: pass")
    before = one.traces()
    done = python(*ATTACH, one.pid, "--timeout", 1, **sequence, SEQUENCE_TOLD=str(told))
    assert done.code != 0
    assert "its main thread runs a restartable sequence" in done.err
    assert one.traces() == before


@pytest.mark.once
def test_an_area_that_the_c_library_does_not_use(target, python, sequence):
    """Another library may have one, and nobody tells where it is."""
    one = target("while True: pass", "env", "GLIBC_TUNABLES=glibc.pthread.rseq=0")
    done = python(*ATTACH, one.pid, **sequence, SEQUENCE_TOLD="0")
    assert done.code == 0, done.err


@pytest.mark.once
@pytest.mark.parametrize("parts", [1 << 19, 1 << 63, 0])
def test_registers_that_nobody_has_tried(target, python, preload, parts):
    """Those of APX, some to come, and a system that does not tell."""
    one = target("while True: pass")
    before = one.traces()
    forged = {"LD_PRELOAD": preload("parts"), "PARTS": hex(parts), "PARTS_TIMES": "-1"}
    done = python(*ATTACH, one.pid, "--timeout", 1, **forged)
    assert done.code != 0
    assert "uses registers that leakgraph has not been tried with" in done.err
    assert one.traces() == before


@pytest.mark.once
@pytest.mark.parametrize(("parts", "times"), [(0x603FF, "-1"), (1 << 19, "2")])
def test_registers_that_attach_keeps(target, python, preload, parts, times):
    """Those up to AMX; and a thread that has let go of newer ones."""
    one = target("while True: pass")
    forged = {"LD_PRELOAD": preload("parts"), "PARTS": hex(parts), "PARTS_TIMES": times}
    done = python(*ATTACH, one.pid, **forged)
    assert done.code == 0, done.err


@pytest.mark.once
@pytest.mark.parametrize(
    ("line", "refused"),
    [("x86_Thread_features:\tshstk wrss", True), ("x86_Thread_features:\t", False)],
)
def test_a_shadow_stack(target, python, preload, line, refused):
    one = target("while True: pass")
    forged = {"LD_PRELOAD": preload("status"), "STATUS": line}
    done = python("-m", "leakgraph", "attach", one.pid, **forged)
    assert (done.code != 0) == refused
    assert (f"process {one.pid} has a shadow stack: start it" in done.err) == refused


@pytest.mark.once
def test_ctrl_c(keeper):
    def interrupt(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        leakgraph.attach(keeper.pid, progress=interrupt)
    keeper.goes_on()


@pytest.mark.once
def test_who_attaches_is_killed(keeper):
    kills_itself = (
        "import leakgraph, os\nleakgraph.attach("
        f"{keeper.pid}, progress=lambda *_: os.kill(os.getpid(), 9))"
    )
    done = subprocess.run([sys.executable, "-c", kills_itself], check=False)
    assert done.returncode == -signal.SIGKILL
    keeper.goes_on()


def refused_to_nobody(pid):
    """Return what leakgraph says to a user without rights."""
    source = (
        "import os, sys\nfrom leakgraph import Error, attach\nos.setuid(65534)\n"
        f"try: attach({pid})\nexcept Error as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.once
@is_root
def test_another_user(target):
    one = target("time.sleep(100)")
    assert "belongs to another user" in refused_to_nobody(one.pid)


@pytest.mark.once
@is_root
def test_a_process_that_lets_nobody_look(target):
    hide = (
        "os.setuid(65534)\nctypes.CDLL(None).prctl(4, 0)\nprint('hidden', flush=True)"
    )
    one = target(f"{hide}\ntime.sleep(100)")
    assert one.process.stdout.readline() == "hidden\n"
    assert "lets only root look (PR_SET_DUMPABLE)" in refused_to_nobody(one.pid)
    leakgraph.attach(one.pid).close()


def no_namespaces():
    """Return why this machine gives a process no namespaces of its own, or ""."""
    if os.geteuid() != 0:
        return "needs root"
    done = subprocess.run([*UNSHARED, "true"], capture_output=True, text=True)
    return done.stderr.strip() if done.returncode else ""


@pytest.mark.once
def test_in_other_namespaces(target):
    """The target has another /tmp and another number, and the file still comes here."""
    if refused := no_namespaces():
        pytest.skip(f"no namespaces: {refused}")
    hidden = 'mount -t tmpfs none /tmp && mount -t proc none /proc && exec "$@"'
    one = target("time.sleep(100)", *UNSHARED, hidden, "sh")
    inner = Path(f"/proc/{one.pid}/task/{one.pid}/children").read_text().split()
    with leakgraph.attach(int(inner[0])) as snap:
        assert snap.info()["pid"] == 1
        assert len(snap.select("type:__main__.Kept")) == 1000
    # It is the first process of its namespace, so nobody else reaps its children.
    children = Path(f"/proc/{inner[0]}/task/{inner[0]}/children")
    assert children.read_text() == ""


@pytest.mark.once
def test_the_verb(target, python):
    one = target(
        "while True:\n    kept.append(bytearray(1000))\n    time.sleep(0.0001)"
    )
    done = python("-m", "leakgraph", "attach", one.pid, "--report", "run.html")
    assert (done.code, done.out) == (0, "")
    assert "and nothing of leakgraph stays in it" in done.err
    assert (done.folder / "run.html").stat().st_size > 10_000
    assert (done.folder / f"leakgraph-{one.pid}.lgs").exists()
    options = ("--diff", "2", "--every", "0.1", "--settled", "-o", "{pid}-{n}.lgs")
    options += ("--samples", "run.csv")
    done = python("-m", "leakgraph", "attach", one.pid, *options)
    assert done.code == 0 and "bytearray" in done.out
    assert (done.folder / f"{one.pid}-2.lgs").exists()
    assert len((done.folder / "run.csv").read_text("ascii").splitlines()) == 1 + 12


@pytest.fixture
def replaced(target):
    """Start a target that another program can replace: replaced.by_another()."""
    again = f"again = {BEGIN + READY + 'time.sleep(100)'!r}\n"
    replaces = "lambda *_: os.execv(sys.executable, [sys.executable, '-c', again])"
    one = target(
        "while True: time.sleep(100)",
        first=f"{again}signal.signal(signal.SIGUSR2, {replaces})",
    )

    def by_another(*_):
        os.kill(one.pid, signal.SIGUSR2)
        assert one.process.stdout.readline() == "ready\n"

    one.by_another = by_another
    return one


@pytest.mark.once
def test_another_program_between_two_snapshots(replaced, monkeypatch, tmp_path, capsys):
    """The number stays the same, and nothing else does."""
    from leakgraph.verbs import run_verb

    monkeypatch.setattr(attached, "_wait", replaced.by_another)
    path = str(tmp_path / "{n}.lgs")
    code = run_verb("attach", [str(replaced.pid), "--diff", "2", "-o", path])
    caught = capsys.readouterr()
    assert (code, caught.out) == (4, "")
    assert (
        f"process {replaced.pid} is not what it was at the first snapshot" in caught.err
    )
    assert os.listdir(tmp_path) == ["1.lgs"]


@pytest.mark.once
def test_another_program_after_a_snapshot(replaced, monkeypatch, tmp_path):
    """Nothing is compared with it."""
    from leakgraph.verbs import run_verb

    def take_and_replace(*words, **options):
        taken = take(*words, **options)
        replaced.by_another()
        return taken

    take = attached.take
    monkeypatch.setattr(attached, "take", take_and_replace)
    path = str(tmp_path / "one.lgs")
    assert run_verb("attach", [str(replaced.pid), "-o", path]) == 0
    assert leakgraph.load(path).select("type:__main__.Kept")


@pytest.mark.once
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["1x"], "takes the number of a process"),
        (["1", "--every", "2"], "--every needs --diff"),
        (["1", "--samples", "a.csv"], "--samples needs --diff"),
        (["1", "--settled"], "--settled needs --diff"),
        (["1", "--diff", "x"], "--diff needs a number, not x"),
        (["1", "--diff", "2", "--every", "x"], "--every needs a number of seconds"),
        (["1", "--diff", "2", "-o", "a.lgs"], "needs a file name with {n} in it"),
    ],
)
def test_wrong_words(capsys, words, message):
    from leakgraph.verbs import run_verb

    with pytest.raises(SystemExit) as caught:
        run_verb("attach", list(words))
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


TENSORS = """
import torch
model = torch.nn.Linear(100, 100)
losses = [model(torch.ones(100)).sum() for _ in range(30)]
signal.signal(signal.SIGUSR2, lambda *_: print(facts() == before, flush=True))
"""


@pytest.mark.libraries
def test_tensors(target):
    one = target("while True: time.sleep(100)", first=TENSORS)
    with leakgraph.attach(one.pid) as snap:
        assert snap.info()["adapter.torch"].startswith("inspected")
        assert 40_000 in {row.bytes for row in snap.tensors(group="storage")}
        assert "loss-history" in {row.pattern for row in snap.findings()}
    os.kill(one.pid, signal.SIGUSR2)
    assert one.process.stdout.readline() == "True\n"
