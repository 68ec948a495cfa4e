"""A process under torture, which checks itself, and what harm it has come to.

The program is torture/target.py. It writes how far it is into a page that both map.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import re
import signal
import struct
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["HERE", "SIGNALS", "Target", "twin"]

HERE = Path(__file__).resolve().parent / "torture"
STEPS, WRONG, WHAT, SIGNALS, STARTS, END = range(6)
DIGEST = 64
#: Seconds until a process counts as frozen, and until what differs from before counts
#: as there to stay: it may share the machine with many others.
FROZEN = 120.0
STAYING = 60.0
#: How often to look at the masks of a process before the torture. A mask that it rarely
#: shows may be missing: another look, some milliseconds later, finds one that is not.
SAMPLES = 100
MASK = re.compile(r"^SigBlk:\t(\w+)", re.MULTILINE)


def until(seconds: float, holds: Callable[[], bool]) -> bool:
    """Wait until something holds; return whether it does."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.002)
    return True


def twin(steps: int) -> bytes:
    """Return the result of a process that does so many steps, and is left alone."""
    digest = bytes(32)
    for step in range(steps):
        digest = hashlib.sha256(digest + b"%d" % step).digest()
    return digest


class Target:
    """A process that checks itself."""

    def __init__(self, mode: str, folder: Path, python: str) -> None:
        self.mode = mode
        self.fifo = folder / "replaces"
        if not self.fifo.exists():
            os.mkfifo(self.fifo)
        self.status = folder / "status"
        self.status.write_bytes(bytes(mmap.PAGESIZE))
        with self.status.open("r+b") as file:
            self.page = mmap.mmap(file.fileno(), mmap.PAGESIZE)
        words = [HERE / "target.py", mode, self.status, folder / "checks.so", self.fifo]
        environment = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
        self.process = subprocess.Popen(
            [python, *map(str, words)], env=environment, stdin=subprocess.DEVNULL
        )
        self.pid = self.process.pid
        if not until(FROZEN, lambda: self.get(STEPS) > 3):
            raise SystemExit(f"the target {mode} does not start")
        self.masks = self.sample_masks()
        self.before = self.traces()

    def get(self, index: int) -> int:
        """Return a number of its status."""
        return int(struct.unpack_from("<Q", self.page, 8 * index)[0])

    def read(self, name: str) -> str:
        """Read one of its files in /proc; empty if it is gone."""
        try:
            return Path(f"/proc/{self.pid}/{name}").read_text()
        except OSError:
            return ""

    def sample_masks(self) -> dict[str, set[str]]:
        """Collect the masks that its threads show while nobody touches it."""
        found: dict[str, set[str]] = {}
        for _ in range(SAMPLES):
            for task, mask in self.masks_now().items():
                found.setdefault(task, set()).add(mask)
            time.sleep(0.001)
        return found

    def masks_now(self) -> dict[str, str]:
        """Return the signals that its threads block: the first's if others end."""
        tasks = [str(self.pid)]
        if self.mode not in ("replaced", "forking"):
            tasks = sorted(os.listdir(f"/proc/{self.pid}/task"))
        found = {task: MASK.search(self.read(f"task/{task}/status")) for task in tasks}
        return {task: mask[1] for task, mask in found.items() if mask}

    def other_masks(self) -> str:
        """Name the masks that it did not show before, if there are any."""
        return ", ".join(
            f"{mask} instead of {' or '.join(sorted(self.masks.get(task, ())))}"
            for task, mask in self.masks_now().items()
            if mask not in self.masks.get(task, ())
        )

    def traces(self) -> dict[str, object]:
        """List what would show that somebody was there."""
        code = [
            line
            for line in self.read("maps").splitlines()
            if " r-xp 00000000 00:00 0 " in f"{line} " and "[" not in line
        ]
        found: dict[str, object] = {"code": len(code)}
        found["library"] = "/_core." in self.read("maps")
        if self.mode != "replaced":
            found["descriptors"] = len(os.listdir(f"/proc/{self.pid}/fd"))
        if self.mode != "forking":
            found["children"] = self.read(f"task/{self.pid}/children").split()
        found["traced"] = "TracerPid:\t0\n" not in self.read("status")
        return found

    def differs(self) -> list[str]:
        """Name what differs from before."""
        try:
            now = self.traces()
        except OSError:
            return ["gone"]
        found = [name for name, value in now.items() if value != self.before[name]]
        masks = self.other_masks()
        return [f"mask {masks}", *found] if masks else found

    def whereabouts(self) -> str:
        """Say what its main thread does: its state and system call."""
        state = self.read(f"task/{self.pid}/stat").rpartition(")")[2][1:2]
        return f"{state}, call {self.read(f'task/{self.pid}/syscall').strip()}"

    def harms(self, expected: int = 0) -> list[str]:
        """Name the harms that it has come to, if it should have got so many signals."""
        began, starts = self.get(STEPS), self.get(STARTS)
        moved = until(FROZEN, lambda: self.get(STEPS) > began + 1 or self.dead())
        if self.dead():
            return [f"dead ({self.process.returncode})"]
        found = [] if moved else [f"frozen ({self.whereabouts()})"]
        if self.mode != "replaced":
            if not until(FROZEN, lambda: self.get(SIGNALS) >= expected):
                found.append("without the signal")
            signals = self.get(SIGNALS)
            os.kill(self.pid, signal.SIGUSR1)
            if not until(FROZEN, lambda: self.get(SIGNALS) > signals):
                found.append("deaf")
        if not until(STAYING, lambda: not self.differs()):
            found += [f"other {name}" for name in self.differs()]
        if self.get(WRONG):
            found.append(f"wrong ({self.get(WHAT)})")
        if self.mode != "replaced" and self.get(STARTS) != starts:
            found.append("started anew")
        return found

    def dead(self) -> bool:
        """Whether it has ended."""
        return self.process.poll() is not None

    def end(self) -> list[str]:
        """End it, and compare its result with that of a twin."""
        struct.pack_into("<Q", self.page, 8 * END, 1)
        try:
            code = self.process.wait(FROZEN)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        if code != 0:
            return [f"ends with {code}"]
        steps = self.get(STEPS)
        at = DIGEST + 32 * (steps % 2)
        return [] if self.page[at : at + 32] == twin(steps) else ["other result"]
