"""Attaches to processes under torture, and counts those that come to harm.

At every call by which leakgraph touches a process, and at random moments: leakgraph is
killed or suspended, a visit is cut off, or the process is stopped, continued, signalled
or replaced by another program. A visit is also cut off while it attends to such a stop
or signal. Each process checks itself, and ends with the result of
a twin that nobody attached to.

A run does harm if the process dies or freezes, gets no signals or loses the one of the
run, blocks others than before, finds a check of its own wrong, or keeps a descriptor, a
child or code.

A run counts only if something was done to leakgraph or the process while leakgraph
attached. The torture fails if too few runs count, or too few attaches succeed that
nothing prevents.
"""

from __future__ import annotations

import argparse
import collections
import ctypes
import functools
import itertools
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

from tortured import HERE, SIGNALS, Target

from leakgraph import Error, attached

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MODES = (
    "busy",
    "waiting",
    "registers",
    "tiles",
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
STOP_AND_CUT, LISTEN_AND_CUT, CONTINUE_AND_CUT, SIGNAL_AND_CUT = range(8, 12)
AT_CALLS = {
    "leakgraph killed": KILL,
    "visit cut off": CUT,
    "leakgraph suspended": SUSPEND,
    "stopped": STOP,
    "stopped shortly": STOP_SHORTLY,
    "signalled": SIGNAL,
    "replaced": REPLACE,
    "stopped and cut off": STOP_AND_CUT,
    "cut off while it listens": LISTEN_AND_CUT,
    "continued and cut off": CONTINUE_AND_CUT,
    "signalled and cut off": SIGNAL_AND_CUT,
}
#: Those that act at the call, and once more in the same visit: never, at most calls. So
#: they are tried once at each call, unless somebody says at which calls.
IN_TWO_STEPS = (LISTEN_AND_CUT, CONTINUE_AND_CUT, SIGNAL_AND_CUT)
#: The system call and the request by which a process asks Linux for the kinds of
#: registers that it may ask for, and the bit of AMX's tiles.
ARCH_PRCTL, GET_SUPPORTED, TILES = 158, 0x1021, 1 << 18
#: Those after which the process is continued when the visit has been cut off, or after
#: so many looks.
STOPS_AND_CUTS = (STOP_AND_CUT, LISTEN_AND_CUT, CONTINUE_AND_CUT)
PATIENCE = 50
#: What the tool does at random moments: whether it kills leakgraph, and whether it
#: stops and continues the process.
AT_RANDOM = {
    "leakgraph killed": (True, False),
    "stopped and continued": (False, True),
    "both": (True, True),
}
#: What an attach survives.
SURVIVED = ("stopped", "stopped shortly", "signalled", "signalled and cut off")
METHODS = ("auto", "remote-exec", "ptrace")
#: Seconds that leakgraph has to find a safe point, and until it counts as hanging: on a
#: machine with much else to do, too.
TIMEOUT = 30
HANGING = 120.0
#: How often to try until something is done at a call: the number of calls varies.
TRIES = 8
UNFIRED = "nothing done"
#: Seconds after which a line that goes on says how far it is.
PATIENCE_OF_READERS = 15.0


def reason_without(mode: str) -> str:
    """Say what this machine lacks for a target; empty if it lacks nothing."""
    found = ctypes.c_ulong(0)
    ctypes.CDLL(None).syscall(ARCH_PRCTL, GET_SUPPORTED, ctypes.byref(found))
    lacks = mode == "tiles" and not found.value & TILES
    return "the processor or the kernel has no AMX" if lacks else ""


class Torture:
    """The tortures of one target after the other."""

    def __init__(self, shim: ctypes.CDLL, options: argparse.Namespace) -> None:
        self.folder: Path = options.folder
        self.shim = shim
        self.python: str = options.python
        self.method = options.method
        self.step: int = options.step
        self.first: int | None = options.first
        self.calls: int | None = options.calls
        self.page = mmap.mmap(-1, mmap.PAGESIZE)
        self.told = ctypes.addressof(ctypes.c_char.from_buffer(self.page))
        self.took: dict[str, float] = {}
        self.target: Target | None = None
        self.harmed = 0
        self.runs = 0
        self.faults: list[str] = []
        self.counts: dict[str, int] = {}

    def begin(self, mode: str) -> Target:
        """Return the target, or start another."""
        if self.target is None:
            self.target = Target(mode, self.folder, self.python)
        return self.target

    def attach(self, target: Target, action: int, at: int, after: bool) -> int:
        """Start an attach in a process of its own; return its number."""
        self.page[:] = bytes(len(self.page))
        child = os.fork()
        if child:
            return child
        code = 70
        try:
            fifo = os.open(target.fifo, os.O_RDWR)
            told = ctypes.c_void_p(self.told)
            self.shim.arm(told, at, int(after), action, target.pid, fifo)
            path = self.folder / f"{os.getpid()}.lgs"
            attached.take(target.pid, path, timeout=TIMEOUT, method=self.method)
            code = 0
        except Error:
            code = 1
        finally:
            os._exit(code)

    def noted(self) -> tuple[int, int]:
        """Return how many calls an attach has made, and whether the shim did harm."""
        calls, fired = struct.unpack_from("<ii", self.page, 0)
        return calls, fired

    def count(self, mode: str) -> int:
        """Count the calls of attaches that nothing disturbs: the least of three.

        Note how long they take, and a fault if none of them succeeds.
        """
        if mode in self.counts:
            return self.counts[mode]
        counts = []
        for _ in range(TRIES):
            began = time.monotonic()
            child = self.attach(self.begin(mode), NOTHING, 0, False)
            if os.waitpid(child, 0)[1] == 0:
                self.took[mode] = time.monotonic() - began
                counts.append(self.noted()[0])
            if len(counts) == 3:
                break
        if not counts:
            self.faults.append(f"{mode}: no attach succeeds that nothing disturbs")
        self.counts[mode] = min(counts, default=0)
        return self.counts[mode]

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
        looks = itertools.count(1)
        signals = target.get(SIGNALS)

        def done() -> bool:
            return bool(self.noted()[1])

        def go_on() -> None:
            time.sleep(0.004)
            waited = done() or next(looks) % PATIENCE == 0
            if action == STOP or (action in STOPS_AND_CUTS and waited):
                continue_target()

        def continue_target() -> None:
            # What the shim has continued must go on by itself.
            if not target.dead() and not (action == CONTINUE_AND_CUT and done()):
                os.kill(target.pid, signal.SIGCONT)

        ended = self.attend(self.attach(target, action, at, after), target, go_on)
        # The timer of a visit may have killed the shim before it continued the process.
        if action in (STOP, STOP_SHORTLY, *STOPS_AND_CUTS):
            continue_target()
        expected = signals + (action in (SIGNAL, SIGNAL_AND_CUT) and done())
        return self.judge(ended, done(), expected)

    def run_random(self, mode: str, kills: bool, stops: bool) -> tuple[str, str]:
        """Do one torture at random moments after the attach has touched the process.

        An attach that ends before its moment says how long one takes by now.
        """
        target = self.begin(mode)
        moment = random.uniform(0, self.took.get(mode, 0))
        began = 0.0
        child = self.attach(target, NOTHING, 0, False)

        def disturb() -> None:
            nonlocal began
            time.sleep(random.uniform(0, 0.002))
            if not self.noted()[0]:
                return
            began = began or time.monotonic()
            if stops and not target.dead():
                os.kill(target.pid, signal.SIGSTOP)
                time.sleep(random.uniform(0, 0.002))
                os.kill(target.pid, signal.SIGCONT)
            if kills and time.monotonic() >= began + moment:
                os.kill(child, signal.SIGKILL)

        ended = self.attend(child, target, disturb)
        if began and ended != "-9":
            self.took[mode] = time.monotonic() - began
        return self.judge(ended, ended == "-9" if kills else bool(began))

    def judge(self, ended: str, fired: bool, signals: int = 0) -> tuple[str, str]:
        """Name the harm of a run, and leave a target that has come to some.

        The target must get so many signals, if it stays the same program.
        """
        assert self.target is not None
        self.runs += fired
        for file in self.folder.glob("*.lgs*"):
            file.unlink()
        harms = self.target.harms(signals)
        if ended.startswith(("suspended:", "hangs")):
            harms.append(ended)
        if harms:
            self.harmed += 1
            self.target.process.kill()
            self.target.process.wait()
            self.target = None
        return ended if fired else UNFIRED, ", ".join(harms)

    def finish(self) -> str:
        """End the target, if it is there; name what is wrong with its result."""
        harms = self.target.end() if self.target else []
        self.target = None
        self.harmed += len(harms)
        return ", ".join(harms)


def report(
    torture: Torture, mode: str, what: str, plan: Iterator[tuple[str, str]]
) -> None:
    """Carry out a plan for one target; say how far it is, and print a line at last."""
    began = shown = time.monotonic()
    ends: collections.Counter[str] = collections.Counter()
    harms: collections.Counter[str] = collections.Counter()

    def show(so_far: str = "") -> None:
        fired = {end: count for end, count in ends.items() if end != UNFIRED}
        print(
            f"{mode:12}{what:32}{sum(fired.values()):6} runs{so_far}, ends {fired},"
            f" {ends[UNFIRED]} without effect: {dict(harms) or 'no harm'};"
            f" {time.monotonic() - began:.0f} s",
            flush=True,
        )

    for ended, harm in plan:
        ends[ended] += 1
        if harm:
            harms[harm] += 1
        if harm or time.monotonic() > shown + PATIENCE_OF_READERS:
            show(" so far")
            shown = time.monotonic()
    if wrong := torture.finish():
        harms[wrong] += 1
    show()
    del ends[UNFIRED]
    torture.faults += faults_of(torture, mode, what, ends)


def faults_of(
    torture: Torture, mode: str, what: str, ends: collections.Counter[str]
) -> Iterator[str]:
    """Say what makes a line worthless: no run, or hardly a success.

    With a step, the torture may leave out the few calls at which two steps act.
    """
    name = what.split(",")[0]
    may_miss = torture.step > 1 and AT_CALLS.get(name) in IN_TWO_STEPS
    if not ends.total():
        if not may_miss:
            yield f"{mode}, {what}: no run has had an effect"
    elif name in SURVIVED and 2 * ends["0"] < ends.total():
        yield f"{mode}, {what}: most attaches failed"


def each_call(torture: Torture, mode: str, action: int) -> Iterator[tuple[str, str]]:
    """Torture before and after every call; with a step, at some, and at least one.

    The first is any of those below the step, unless somebody says which. So as many
    runs as the step, each with another first, torture at every call.
    """
    calls = torture.count(mode)
    calls = min(calls, torture.calls or calls)
    tries = 1 if action in IN_TWO_STEPS and not torture.calls else TRIES
    chosen = 1 + random.randrange(max(1, min(torture.step, calls)))
    first = chosen if torture.first is None else torture.first
    for at in range(first, calls + 1, torture.step):
        for after in (False, True):
            run = functools.partial(torture.run_at, mode, action, at, after)
            yield from until_it_counts(run, tries)


def until_it_counts(
    run: Callable[[], tuple[str, str]], tries: int = TRIES
) -> Iterator[tuple[str, str]]:
    """Repeat a run until it counts."""
    for _ in range(tries):
        done = run()
        yield done
        if done[0] != UNFIRED:
            break


def at_random(
    torture: Torture, mode: str, runs: int, how: tuple[bool, bool]
) -> Iterator[tuple[str, str]]:
    """Torture at random moments."""
    torture.count(mode)
    for _ in range(runs):
        yield from until_it_counts(lambda: torture.run_random(mode, *how))


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
    parser.add_argument("--first", type=int, help="which call to begin at, not any")
    parser.add_argument("--calls", type=int, help="only the first so many calls")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--modes", nargs="+", choices=MODES, default=MODES)
    parser.add_argument("--actions", nargs="*", choices=AT_CALLS, default=[*AT_CALLS])
    parser.add_argument("--method", choices=METHODS, default="auto")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args(words)


def torture_all(options: argparse.Namespace) -> int:
    """Torture all targets; return 1 if one came to harm."""
    random.seed(options.seed)
    shim = ctypes.CDLL(str(options.folder / "shim.so"))
    torture = Torture(shim, options)
    for mode in options.modes:
        if reason := reason_without(mode):
            print(f"{mode:12}skipped: {reason}")
    options.modes = [mode for mode in options.modes if not reason_without(mode)]
    for mode in options.modes:
        for what in options.actions:
            if what != "replaced" or mode == "replaced":
                plan = each_call(torture, mode, AT_CALLS[what])
                report(torture, mode, f"{what}, each call", plan)
    share = options.runs // (max(1, len(options.modes)) * len(AT_RANDOM))
    for mode in options.modes if share else ():
        for what, how in AT_RANDOM.items():
            plan = at_random(torture, mode, share, how)
            report(torture, mode, f"{what}, at random", plan)
    for fault in torture.faults:
        print(fault)
    print(f"{torture.runs} runs, {torture.harmed} with harm")
    return 1 if torture.harmed or torture.faults or not torture.runs else 0


def main(words: list[str]) -> int:
    """Build, and start this program again with the shim."""
    options = take_options(words)
    if options.folder:
        return torture_all(options)
    with tempfile.TemporaryDirectory(prefix="leakgraph-torture-") as name:
        folder = Path(name)
        build(folder)
        again = [sys.executable, __file__, *words, "--folder", name]
        preload = str(folder / "shim.so")
        environment = {**os.environ, "LD_PRELOAD": preload, "TMPDIR": name}
        return subprocess.run(again, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
