"""Attaches to processes under torture, and counts those that come to harm.

At every call by which leakgraph touches a process, and at random moments: leakgraph is
killed or suspended, a visit is cut off, or the process is stopped, continued, signalled
or replaced by another program. Each process checks itself, and ends with the result of
a twin that nobody attached to.

A run does harm if the process dies or freezes, gets no signals, blocks others than
before, finds a check of its own wrong, or keeps a descriptor, a child or code.
"""

from __future__ import annotations

import argparse
import collections
import ctypes
import mmap
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tortured import HERE, Target

from leakgraph import Error, attached

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MODES = (
    "busy",
    "waiting",
    "registers",
    "waits",
    "interrupted",
    "storm",
    "threaded",
    "forking",
    "queue",
    "replaced",
)
#: What the shim does at a call.
NOTHING, KILL, CUT, SUSPEND, STOP, STOP_SHORTLY, SIGNAL, REPLACE = range(8)
AT_CALLS = {
    "leakgraph killed": KILL,
    "visit cut off": CUT,
    "leakgraph suspended": SUSPEND,
    "stopped": STOP,
    "stopped shortly": STOP_SHORTLY,
    "signalled": SIGNAL,
    "replaced": REPLACE,
}
#: What the tool does at random moments: whether it kills leakgraph, and whether it
#: stops and continues the process.
AT_RANDOM = {
    "leakgraph killed": (True, False),
    "stopped and continued": (False, True),
    "both": (True, True),
}
#: Seconds until leakgraph counts as hanging.
HANGING = 20.0


class Torture:
    """The tortures of one target after the other."""

    def __init__(self, folder: Path, shim: ctypes.CDLL, python: str) -> None:
        self.folder = folder
        self.shim = shim
        self.python = python
        self.calls = mmap.mmap(-1, mmap.PAGESIZE)
        self.took = 0.1
        self.target: Target | None = None
        self.harmed = 0
        self.runs = 0

    def begin(self, mode: str) -> Target:
        """Return the target, or start another."""
        if self.target is None:
            self.target = Target(mode, self.folder, self.python)
        return self.target

    def attach(self, target: Target, action: int, at: int, after: bool) -> int:
        """Start an attach in a process of its own; return its number."""
        child = os.fork()
        if child:
            return child
        code = 70
        try:
            fifo = os.open(target.fifo, os.O_RDWR)
            self.shim.arm(at, int(after), action, target.pid, fifo)
            attached.take(target.pid, self.folder / f"{os.getpid()}.lgs", timeout=3)
            code = 0
        except Error:
            code = 1
        finally:
            struct.pack_into("<Q", self.calls, 0, self.shim.calls())
            os._exit(code)

    def count(self, target: Target) -> int:
        """Count the calls of an attach that nothing disturbs."""
        began = time.monotonic()
        child = self.attach(target, NOTHING, 0, False)
        os.waitpid(child, 0)
        self.took = time.monotonic() - began
        return int(struct.unpack_from("<Q", self.calls, 0)[0])

    def attend(self, child: int, target: Target, each: Callable[[], None]) -> str:
        """Wait for an attach, and do something again and again; say how it ended."""
        end = time.monotonic() + HANGING
        while True:
            pid, status = os.waitpid(child, os.WNOHANG | os.WUNTRACED)
            if pid and os.WIFSTOPPED(status):
                harms = target.harms()
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return "suspended" if not harms else f"suspended: {harms[0]}"
            if pid:
                return str(os.waitstatus_to_exitcode(status))
            if time.monotonic() > end:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return "hangs"
            each()

    def run_at(self, mode: str, action: int, at: int, after: bool) -> tuple[str, str]:
        """Do one torture at a call; return how the attach ended, and the harm."""
        target = self.begin(mode)

        def go_on() -> None:
            time.sleep(0.004)
            if action == STOP and not target.dead():
                os.kill(target.pid, signal.SIGCONT)

        ended = self.attend(self.attach(target, action, at, after), target, go_on)
        if action == STOP and not target.dead():
            os.kill(target.pid, signal.SIGCONT)
        return ended, self.judge(ended)

    def run_random(self, mode: str, kills: bool, stops: bool) -> tuple[str, str]:
        """Do one torture at random moments."""
        target = self.begin(mode)
        child = self.attach(target, NOTHING, 0, False)
        end = time.monotonic() + random.uniform(0, 1.5 * self.took)

        def disturb() -> None:
            time.sleep(random.uniform(0, 0.002))
            if stops and not target.dead():
                os.kill(target.pid, signal.SIGSTOP)
                time.sleep(random.uniform(0, 0.002))
                os.kill(target.pid, signal.SIGCONT)
            if kills and time.monotonic() > end:
                os.kill(child, signal.SIGKILL)

        ended = self.attend(child, target, disturb)
        return ended, self.judge(ended)

    def judge(self, ended: str) -> str:
        """Name the harm of a run, and leave a target that has come to some."""
        assert self.target is not None
        self.runs += 1
        for file in self.folder.glob("*.lgs*"):
            file.unlink()
        harms = self.target.harms()
        if ended.startswith(("suspended:", "hangs")):
            harms.append(ended)
        if harms:
            self.harmed += 1
            self.target.process.kill()
            self.target.process.wait()
            self.target = None
        return ", ".join(harms)

    def finish(self) -> str:
        """End the target, if it is there; name what is wrong with its result."""
        harms = self.target.end() if self.target else []
        self.target = None
        self.harmed += len(harms)
        return ", ".join(harms)


def report(
    torture: Torture, mode: str, what: str, plan: Iterator[tuple[str, str]]
) -> None:
    """Carry out a plan for one target, and print a line."""
    began = time.monotonic()
    ends: collections.Counter[str] = collections.Counter()
    harms: collections.Counter[str] = collections.Counter()
    for ended, harm in plan:
        ends[ended] += 1
        if harm:
            harms[harm] += 1
    if wrong := torture.finish():
        harms[wrong] += 1
    print(
        f"{mode:12}{what:32}{ends.total():6} runs, ends {dict(ends)}:"
        f" {dict(harms) or 'no harm'}; {time.monotonic() - began:.0f} s",
        flush=True,
    )


def each_call(
    torture: Torture, mode: str, action: int, step: int
) -> Iterator[tuple[str, str]]:
    """Torture before and after every call; with a step, at some."""
    calls = torture.count(torture.begin(mode))
    for at in range(1 + random.randrange(step), calls + 1, step):
        for after in (False, True):
            yield torture.run_at(mode, action, at, after)


def at_random(
    torture: Torture, mode: str, runs: int, how: tuple[bool, bool]
) -> Iterator[tuple[str, str]]:
    """Torture at random moments."""
    torture.count(torture.begin(mode))
    for _ in range(runs):
        yield torture.run_random(mode, *how)


def build(folder: Path) -> None:
    """Compile the shim and the checks."""
    for name in ("shim", "checks"):
        source, made = HERE / f"{name}.c", folder / f"{name}.so"
        flags = ["-O1", "-shared", "-fPIC", "-o"]
        subprocess.run([os.environ.get("CC", "cc"), *flags, made, source], check=True)


def take_options(words: list[str]) -> argparse.Namespace:
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000, help="at random moments")
    parser.add_argument("--step", type=int, default=1, help="every so many calls")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--modes", nargs="+", choices=MODES, default=MODES)
    parser.add_argument("--actions", nargs="*", choices=AT_CALLS, default=[*AT_CALLS])
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args(words)


def torture_all(options: argparse.Namespace) -> int:
    """Torture all targets; return 1 if one came to harm."""
    random.seed(options.seed)
    shim = ctypes.CDLL(str(options.folder / "shim.so"))
    torture = Torture(options.folder, shim, options.python)
    for mode in options.modes:
        for what in options.actions:
            if what != "replaced" or mode == "replaced":
                plan = each_call(torture, mode, AT_CALLS[what], options.step)
                report(torture, mode, f"{what}, each call", plan)
    share = options.runs // (len(options.modes) * len(AT_RANDOM))
    for mode in options.modes if share else ():
        for what, how in AT_RANDOM.items():
            plan = at_random(torture, mode, share, how)
            report(torture, mode, f"{what}, at random", plan)
    print(f"{torture.runs} runs, {torture.harmed} with harm")
    return 1 if torture.harmed or not torture.runs else 0


def main(words: list[str]) -> int:
    """Build, and start this program again with the shim."""
    options = take_options(words)
    if options.folder:
        return torture_all(options)
    with tempfile.TemporaryDirectory(prefix="leakgraph-torture-") as name:
        folder = Path(name)
        build(folder)
        again = [sys.executable, __file__, *words, "--folder", name]
        environment = {**os.environ, "LD_PRELOAD": str(folder / "shim.so")}
        return subprocess.run(again, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
