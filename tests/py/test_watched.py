"""Tests python -m leakgraph watch SCRIPT."""

import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest

from leakgraph import watched

pytestmark = pytest.mark.ends

LEAKY = """
import os, sys, time
history = []
end = time.time() + 500
while time.time() < end and not os.path.exists(sys.argv[1]):
    history.append([0.0] * 2000)
    time.sleep(0.001)
print("done", __name__, len(history))
sys.exit(3)
"""


#: The command, which tells each leak with the first comparison.
AT_ONCE = """
import sys
from leakgraph import found, watched
found.SOON = 0.0
watched.watch_script(sys.argv[1:])
"""


@pytest.fixture
def start(tmp_path):
    """Start a script under watch."""
    script = tmp_path / "script.py"

    def started(source, *arguments, options=(), command=("-m", "leakgraph", "watch")):
        script.write_text(source)
        command = [sys.executable, *command, *options]
        return subprocess.Popen(
            [*command, str(script), *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
        )

    return started


def test_a_leak_is_told_while_the_script_runs(start, tmp_path):
    options = ["--every", "0.005", "--budget", "1", "--report", "report-{pid}.txt"]
    child = start(LEAKY, tmp_path / "stop", options=options, command=("-c", AT_ONCE))
    first = child.stderr.readline()
    (tmp_path / "stop").touch()
    out, err = child.communicate()
    assert child.returncode == 3
    assert out.startswith("done __main__ ")
    assert first.startswith("leakgraph: leak: __main__.history[*]: list accumulates, ")
    assert " per second" in first
    assert "leakgraph: Watched for " in err
    report = (tmp_path / f"report-{child.pid}.txt").read_text()
    assert "__main__.history[*]: list " in report


def test_a_report_on_a_signal(start):
    child = start("print(1, flush=True); input()")
    assert child.stdout.readline() == "1\n"
    child.send_signal(signal.SIGURG)
    assert child.stderr.readline().startswith("leakgraph: Watched for ")
    child.communicate("\n")
    assert child.returncode == 0


#: Says that it runs, and waits.
WAITS = """
import threading
print(1, flush=True)
threading.Event().wait(300)
"""


def test_a_report_before_sigterm_ends_the_script(start):
    child = start(WAITS)
    assert child.stdout.readline() == "1\n"
    child.send_signal(signal.SIGTERM)
    _, err = child.communicate()
    assert child.returncode == -signal.SIGTERM
    assert err.count("leakgraph: Watched for ") == 1


#: As uvicorn does: handle the signal, give it back, and send it again.
GIVES_BACK = """
import signal, threading
came = threading.Event()
before = signal.signal(signal.SIGTERM, lambda *_: came.set())
print(1, flush=True)
while not came.wait(0.1):  # CPython may miss a signal just before it waits
    pass
print("shut down", flush=True)
signal.signal(signal.SIGTERM, before)
signal.raise_signal(signal.SIGTERM)
threading.Event().wait(300)
"""


def test_a_handler_of_the_program_gets_sigterm_first(start):
    child = start(GIVES_BACK)
    assert child.stdout.readline() == "1\n"
    child.send_signal(signal.SIGTERM)
    out, err = child.communicate()
    assert (child.returncode, out) == (-signal.SIGTERM, "shut down\n")
    assert err.count("leakgraph: Watched for ") == 1


#: Prints how a child ends that gets the signal.
FORKS = """
import os, signal, time
child = os.fork()
if not child:
    time.sleep(60)
    os._exit(7)
os.kill(child, signal.SIGTERM)
print(os.waitpid(child, 0)[1], flush=True)
"""


def test_sigterm_ends_forked_children_and_reports_nothing(start):
    out, err = start(FORKS).communicate()
    assert out == f"{int(signal.SIGTERM)}\n"
    assert err.count("leakgraph: Watched for ") == 1


def test_a_program_that_takes_the_signal_over_is_told(start):
    """gunicorn and Celery handle SIGUSR2 themselves."""
    code = "import signal; signal.signal(signal.SIGUSR2, print); input()"
    child = start(code, options=["--signal", "USR2"])
    said = child.stderr.readline()
    assert "has set its own handler of SIGUSR2" in said and "--signal" in said
    child.communicate("\n")


@pytest.mark.parametrize(
    ("options", "given"),
    [
        ({}, {"every": 0.5, "budget": 0.05, "traces": False, "samples": None}),
        (
            {"--every": "2", "--budget": "1", "--traces": ""},
            {"every": 2.0, "budget": 1.0, "traces": True, "samples": None},
        ),
    ],
)
def test_options_and_each_leak_once(options, given, monkeypatch, capfd):
    started = SimpleNamespace(_told=["one"])

    def watch(**taken):
        tell = taken.pop("on_leak")
        assert taken == given
        started.tell = tell
        return started

    monkeypatch.setattr("leakgraph.watch_call.watch", watch)
    assert watched._watch(options) is started
    started.tell(None, None)
    started.tell(None, None)
    started._told += ["two", "three"]
    started.tell(None, None)
    said = capfd.readouterr().err.splitlines()
    assert said == [f"leakgraph: leak: {leak}" for leak in ("one", "two", "three")]


def test_nothing_grows(start):
    child = start("import sys; print(sys.argv[1:])", "a", options=["--signal=none"])
    out, err = child.communicate()
    assert (child.returncode, out) == (0, "['a']\n")
    ends = ("No place was found that goes on growing", "Nothing was compared")
    assert any(end in err for end in ends) and "accumulates" not in err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--every", "x"], "could not convert string to float"),
        (["--every", "0"], "every must be more than 0 seconds"),
        (["--budget", "2"], "budget must be more than 0 and at most 1"),
        (["--signal", "SIGNONE"], "There is no signal SIGNONE"),
        (["--often"], "watch has no option --often: see leakgraph watch --help"),
    ],
)
def test_wrong_options(start, options, message):
    child = start("print(1)", options=options)
    out, err = child.communicate()
    assert (child.returncode, out) == (2, "")
    assert message in err


def test_help(start):
    for arguments in ([], ["--help"]):
        done = subprocess.run(
            [sys.executable, "-m", "leakgraph", "watch", *arguments],
            capture_output=True,
            text=True,
        )
        assert done.returncode == (0 if arguments else 2)
        assert "Usage: python -m leakgraph watch" in done.stdout or not arguments
