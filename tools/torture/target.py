"""A process to be tortured, which checks itself.

    python target.py MODE STATUS CHECKS REPLACES

STATUS is a file of a page that it maps: numbers, and two digests of its work, which it
writes in turn. When the tool sets the last number, it ends. The digest after a number
of steps is always the same. REPLACES is a FIFO: after a byte from there, the program
starts anew.
"""

from __future__ import annotations

import ctypes
import hashlib
import mmap
import os
import signal
import struct
import sys
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

STEPS, WRONG, WHAT, SIGNALS, STARTS, END = range(6)
DIGEST = 64
PR_SET_PDEATHSIG = 1

mode, path, checks_path, replaces = sys.argv[1:5]
checks = ctypes.CDLL(checks_path)
with_gil = ctypes.PyDLL(checks_path)
api = ctypes.pythonapi
with open(path, "r+b") as opened:
    page = mmap.mmap(opened.fileno(), mmap.PAGESIZE)
silent, _ = os.pipe()


def get(index: int) -> int:
    """Return a number of the status."""
    return int(struct.unpack_from("<Q", page, 8 * index)[0])


def put(index: int, value: int) -> None:
    """Set a number of the status."""
    struct.pack_into("<Q", page, 8 * index, value)


def note(what: int) -> None:
    """Note that a check failed."""
    if what:
        put(WRONG, get(WRONG) + 1)
        put(WHAT, what)


def compute() -> None:
    """Work in Python code only."""
    sum(range(2000))


def sleep() -> None:
    """Wait in Python."""
    began = time.monotonic()
    time.sleep(0.004)
    note(910 if time.monotonic() - began < 0.0039 else 0)


def fork() -> None:
    """Have two kinds of children."""
    child = os.fork()
    if child == 0:
        os._exit(7)
    note(0 if os.waitpid(child, 0) == (child, 7 << 8) else 911)


def everything() -> None:
    """Do a little of all."""
    compute()
    sleep()
    note(checks.check_registers(get(STEPS)))


def start(work: Callable[..., object], *arguments: object) -> None:
    """Start a thread."""
    threading.Thread(target=work, args=arguments, daemon=True).start()


def forever(work: Callable[[], object]) -> None:
    """Repeat what a thread does."""
    while True:
        work()


def threads() -> None:
    """Start threads that wait and compute."""
    start(forever, sleep)
    start(forever, compute)
    start(forever, lambda: note(checks.check_waits(3_000_000, silent)))


def hold_tiles() -> None:
    """Check registers and a wait, with values in AMX's tiles."""
    note(checks.check_tiles(get(STEPS), checks.check_registers))
    note(checks.check_tiles(get(STEPS), checks.check_short_wait))


def hold_other_tiles() -> None:
    """Do so on another thread."""
    note(checks.check_tiles(~get(STEPS), checks.check_short_wait))


WORK = {
    "busy": compute,
    "waiting": sleep,
    "registers": lambda: note(checks.check_registers(get(STEPS))),
    "tiles": hold_tiles,
    "waits": lambda: note(checks.check_waits(3_000_000, silent)),
    "interrupted": lambda: note(checks.check_interrupted(silent)),
    "storm": everything,
    "threaded": everything,
    "forking": fork,
    "queue": lambda: with_gil.use_queue(api.Py_AddPendingCall, api.Py_MakePendingCalls),
    "replaced": everything,
}


def prepare() -> None:
    """Start what the mode has beside the main thread's work."""
    signal.signal(signal.SIGUSR1, lambda *_: put(SIGNALS, get(SIGNALS) + 1))
    if mode == "threaded":
        threads()
    elif mode == "storm":
        checks.begin_storm()
    elif mode == "tiles":
        note(checks.use_tiles())
        start(forever, hold_other_tiles)
    words = [sys.executable, *sys.argv]
    array = (ctypes.c_char_p * (len(words) + 1))(*map(os.fsencode, words), None)
    start(checks.replace_when_told, os.open(replaces, os.O_RDWR), array)


def main() -> None:
    """Work until told to end. A program that replaces this one goes on."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    prepare()
    put(STARTS, get(STARTS) + 1)
    while not get(END):
        WORK[mode]()
        note(912 if signal.pthread_sigmask(signal.SIG_BLOCK, ()) else 0)
        steps = get(STEPS)
        before, after = (DIGEST + 32 * ((steps + i) % 2) for i in (0, 1))
        page[after : after + 32] = hashlib.sha256(
            page[before : before + 32] + b"%d" % steps
        ).digest()
        put(STEPS, steps + 1)


main()
