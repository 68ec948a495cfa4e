"""Run a script as `__main__` and watch its memory: `leakgraph watch SCRIPT`."""

from __future__ import annotations

import atexit
import os
import signal
import threading
from contextlib import suppress

from leakgraph._core import Error, _die_by_signal
from leakgraph.run import execute, fail, load, say, take_options
from leakgraph.signals import DEFAULT, Ear, signal_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

    from leakgraph._core import Growth, GrowthRow
    from leakgraph.watching import Watch

__all__ = ["watch_script"]

USAGE = """\
Usage: python -m leakgraph watch [OPTIONS] SCRIPT [ARGS]
       python -m leakgraph watch [OPTIONS] -m MODULE [ARGS]

Runs a script or a module as `python` would, and samples its memory at intervals.
Says on stderr when it is sure that something keeps growing. Reports on a signal, and
when the script ends, also by SIGTERM. The exit code is the script's own.

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
    name = options.get("--signal", DEFAULT)
    _report_on_signal(watch, name)
    ending = Ending(watch, options.get("--report", ""))
    if name == "none" or signal_number(name) != signal.SIGTERM:
        ending.wait_for(signal.SIGTERM)
    try:
        execute(code, module)
    finally:
        # Callbacks run in reverse order, so this one runs before those of the script.
        atexit.register(ending.report)


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


class Ending:
    """The last report, which comes once: at the script's end, or before a signal's.

    The program may take the signal over, as servers do to shut down in order. Then the
    script ends by itself. Some give the signal back to who had it before, and send it
    again. So Python knows of a handler, which is that one; and as Python calls no
    handler while the main thread is in C code, a thread hears the signal, too.
    """

    def __init__(self, watch: Watch, file: str) -> None:
        self._watch, self._file = watch, file
        self._pid = os.getpid()
        self._busy = threading.Lock()
        self._is_done = False
        self._ear: Ear | None = None

    def report(self) -> None:
        """Stop to watch, and report; do nothing the second time, or in a child."""
        if os.getpid() != self._pid:
            return
        with self._busy:
            if not self._is_done:
                self._is_done = True
                self._watch.stop()
                _report(self._watch, self._file)
        self._give_back()

    def wait_for(self, number: int) -> None:
        """Report before that signal ends the process, unless it is ignored."""
        if signal.getsignal(number) is not signal.SIG_DFL:
            return
        signal.signal(number, self._hear)
        self._ear = Ear(number, ends=True)
        os.register_at_fork(after_in_child=self._give_back)
        threading.Thread(target=self._wait, name="leakgraph-end", daemon=True).start()

    def _hear(self, number: int, frame: FrameType | None) -> None:
        """Python's handler: the thread does the rest."""
        if self._ear is not None:
            self._ear.ring()

    def _wait(self) -> None:
        """Wait for the signal, report, and let it end the process."""
        ear = self._ear
        assert ear is not None
        while not ear.wait(60.0) or not self._is_mine(ear.number):
            pass
        try:
            self.report()
        finally:
            _die_by_signal(ear.number)

    def _is_mine(self, number: int) -> bool:
        """Whether the program has not taken the signal over meanwhile."""
        return signal.getsignal(number) == self._hear

    def _give_back(self) -> None:
        """In a forked child, and after the report: let the signal end it."""
        if self._ear is not None and self._is_mine(self._ear.number):
            with suppress(ValueError):
                signal.signal(self._ear.number, signal.SIG_DFL)


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
