"""Run a script as `__main__` and watch its memory: `leakgraph watch SCRIPT`."""

from __future__ import annotations

import atexit
import os
import threading

from leakgraph._core import Error
from leakgraph.run import execute, fail, load, say, take_options
from leakgraph.signals import DEFAULT, Ear, signal_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from leakgraph._core import Growth, GrowthRow
    from leakgraph.watching import Watch

__all__ = ["watch_script"]

USAGE = """\
Usage: python -m leakgraph watch [OPTIONS] SCRIPT [ARGS]
       python -m leakgraph watch [OPTIONS] -m MODULE [ARGS]

Runs a script or a module as `python` would, and samples its memory at intervals.
Says on stderr when it is sure that something keeps growing. Reports on a signal, and
when the script ends. The exit code is the script's own.

  --every SECONDS  sample at this interval (0.5)
  --budget SHARE   spend at most this share of the time on snapshots and comparisons
                   (0.05)
  --traces         name the lines that allocate, too
  --signal NAME    report on this signal, or on none (SIGURG)
  --report FILE    write the last report to FILE, too; {pid} stands for the process id
  --samples FILE   write each sample to FILE, for leakgraph report --samples; {pid}
                   stands for the same
"""

OPTIONS = {
    "--every": "a number of seconds",
    "--budget": "a share",
    "--traces": "",
    "--signal": "a signal",
    "--report": "a file name",
    "--samples": "a file name",
}


def watch_script(arguments: list[str]) -> None:
    """Do what follows `watch` on the command line."""
    options = take_options("watch", arguments, OPTIONS, USAGE)
    code, module = load("watch", arguments)
    watch = _watch(options)
    _report_on_signal(watch, options.get("--signal", DEFAULT))
    pid = os.getpid()

    def end() -> None:
        if os.getpid() == pid:
            watch.stop()
            _report(watch, options.get("--report", ""))

    try:
        execute(code, module)
    finally:
        # Callbacks run in reverse order, so this one runs before those of the script.
        atexit.register(end)


def _watch(options: dict[str, str]) -> Watch:
    """Start to watch as the options say."""
    from leakgraph.watch_call import watch

    said = 0
    samples = options.get("--samples")

    def tell(row: GrowthRow, growth: Growth) -> None:
        nonlocal said
        for text in started._told[said:]:
            said += 1
            say(f"leak: {text}")

    try:
        started = watch(
            every=float(options.get("--every", "0.5")),
            budget=float(options.get("--budget", "0.05")),
            on_leak=tell,
            traces="--traces" in options,
            samples=samples and _filled(samples),
        )
    except (OSError, ValueError) as error:
        fail(f"watch: {error}")
    return started


def _report_on_signal(watch: Watch, name: str) -> None:
    """Report whenever the signal comes, in a thread of its own."""
    if name == "none":
        return
    try:
        ear = Ear(signal_number(name))
    except (Error, ValueError, OSError) as error:
        fail(f"watch: {error}")

    is_over = False

    def listen() -> None:
        while not is_over:
            if ear.wait(1.0) and not is_over:
                _report(watch, "")

    def close() -> None:
        nonlocal is_over
        is_over = True
        ear.close()

    atexit.register(close)
    threading.Thread(target=listen, name="leakgraph-report", daemon=True).start()


def _report(watch: Watch, file: str) -> None:
    """Write the report on stderr, and to the file if there is one."""
    text = watch.report()
    for line in text.splitlines():
        say(line)
    if file:
        with open(_filled(file), "w", encoding="utf-8") as out:
            out.write(text + "\n")


def _filled(file: str) -> str:
    """Put the process id into the name of a file."""
    return file.replace("{pid}", str(os.getpid()))
