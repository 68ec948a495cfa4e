"""Runs probes: scripts that look at a process of their own, and write an answer."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pythons

#: Processor seconds that a probe may use, however busy the machine is.
WORK = 600
#: A probe hangs if for so long it neither works nor waits for a processor, apart from
#: less than a second.
STILL = 300
#: The longest that a probe may take in any case.
PATIENCE = 3 * 3600
POLL = 2

OPTIONS = ("-W", "ignore", "-X", "faulthandler")


def fate(done: subprocess.CompletedProcess[str]) -> str:
    """Say why a probe has no answer."""
    lines = done.stderr.strip().splitlines() or ["no message"]
    if done.returncode < 0:
        return f"ended by {signal.Signals(-done.returncode).name}"
    return lines[-1][:150]


class Watch:
    """Notices that a process hangs, or works for too long."""

    def __init__(self, start: float) -> None:
        self.start = self.moved = start
        self.wanted = 0.0

    def objection(self, now: float, used: float, waited: float) -> str:
        """Why the process must end, or "".

        So far it has used a processor, and waited for one, for so many seconds.
        """
        if used + waited >= self.wanted + 1:
            self.wanted, self.moved = used + waited, now
        if used > WORK:
            return f"was not done after {WORK} s of processor time"
        if now - self.moved > STILL:
            return f"hung: it asked for no processor in {STILL} s"
        if now - self.start > PATIENCE:
            return f"was not done after {PATIENCE} s"
        return ""


def processor_seconds(pid: int) -> tuple[float, float]:
    """Read how long a process used a processor, and its threads waited for one."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    used = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    waited = 0
    for thread in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):  # the process ends
            waited += int((thread / "schedstat").read_text().split()[1])
    return used, waited / 1e9


def watched(
    process: subprocess.Popen[str], text: str | None
) -> subprocess.CompletedProcess[str]:
    """Wait for a process that reads the text; raise TimeoutError if it must end."""
    watch = Watch(time.monotonic())
    with process:
        while True:
            try:
                out, err = process.communicate(text, timeout=POLL)
                break
            except subprocess.TimeoutExpired:
                text = None
            seconds = processor_seconds(process.pid)
            objection = watch.objection(time.monotonic(), *seconds)
            if objection:
                process.kill()
                raise TimeoutError(objection)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def answer(
    folder: Path, command: list[str | Path], name: str, text: str, **settings: str
) -> dict[str, Any]:
    """Return what a probe answers about a text; "error" if it has no answer.

    The command is an interpreter, the probe, and its first arguments. The last argument
    is the file for the answer. The settings go into the environment.
    """
    file = folder / f"answers/{name}.json"
    file.unlink(missing_ok=True)
    work = folder / "work"
    work.mkdir(exist_ok=True)
    process = subprocess.Popen(
        [command[0], *OPTIONS, *command[1:], file],
        env=pythons.settings(folder / "leakgraph") | settings,
        cwd=work,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )
    try:
        done = watched(process, text)
    except TimeoutError as error:
        return {"error": str(error)}
    log = folder / f"answers/{name}.log"
    log.write_text(done.stdout + done.stderr, encoding="utf-8")
    if done.returncode or not file.exists():
        return {"error": fate(done)}
    report: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return report


def measured(kept: Path, text: str, measure: Callable[[], dict[str, Any]]) -> None:
    """Keep a measurement in a file, unless the file has it of the same text."""
    key = hashlib.sha256(text.encode()).hexdigest()
    if kept.exists() and json.loads(kept.read_text(encoding="utf-8"))["key"] == key:
        return
    start = time.monotonic()
    report = measure()
    report |= {"key": key, "seconds": round(time.monotonic() - start)}
    kept.parent.mkdir(exist_ok=True)
    kept.write_text(json.dumps(report), encoding="utf-8")


def say(python: str, at: int, of: int, name: str) -> None:
    """Print a line of progress."""
    print(f"CPython {python}: {at} of {of}, {name}", flush=True)
