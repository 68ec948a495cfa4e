"""Snapshots of other processes: attach(), and the verb of the command.

The work there needs the extension module for the other process's Python. This looks for
it beside this module, in the folders of LEAKGRAPH_LIBRARIES, and in the leakgraph of
that Python, if that is on PATH.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import NamedTuple, cast

from leakgraph import _core
from leakgraph._core import ChildError, Snapshot, UnsupportedError, diff, load
from leakgraph.processes import identity, python_below, resident
from leakgraph.run import fail, say
from leakgraph.samples import Log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal, Union

    _Path = Union[str, bytes, os.PathLike[str], os.PathLike[bytes]]
    _Method = Literal["auto", "remote-exec", "ptrace"]
    _Progress = Union[bool, Callable[[str, float], object], None]

__all__ = ["NO_PYTHON", "OPTIONS", "USAGE", "Taken", "attach", "attach_verb", "take"]

#: How the core describes a program that is not Python.
NO_PYTHON = "does not run CPython"

USAGE = """\
Usage: leakgraph attach PID [-o FILE] [--report FILE.html]
       leakgraph attach PID --diff N --every SECONDS [--settled] [-o FILE]
                            [--report FILE.html] [--samples FILE]

Takes a snapshot of a running Python, 3.9 or newer, that was not prepared for it. The
process stops for as long as a fork takes, and nothing of leakgraph stays in it. You
need the right to trace the process: run as its user or as root.

  -o FILE          save the snapshot to FILE (leakgraph-{pid}.lgs); {pid} stands for the
                   number of the process, {n} for the next free number
  --report FILE    write the report, too
  --diff N         take N snapshots and print what grows, and how fast; if it is
                   memory of C code, those from the third on are taken with
                   --native, and there are two more, unless each takes long
  --every SECONDS  with --diff: the time between two snapshots (10)
  --samples FILE   with --diff: write the resident memory to FILE, up to ten times
                   between two snapshots, and draw it in the report
  --settled        with --diff: include what grew and stopped
  --contents       find out which strs, bytes and arrays are equal
  --native         list the memory of C code, too, and who holds it
  --timeout S      give up if the process reaches no safe point in S seconds (30)
  --method WORD    remote-exec: have the process run a script, as sys.remote_exec() does
                   (CPython 3.14); ptrace: stop its main thread instead; auto: the
                   first if it runs Python code within a second, or else the second
  --filtered       attach even if a seccomp filter may end the process

Example:
  leakgraph attach 4711 -o run.lgs --report run.html
  leakgraph attach 4711 --diff 3 --every 60
"""

#: The options of the verb, and what each needs.
OPTIONS = {
    "-o": "a file name",
    "--report": "a file name",
    "--diff": "a number",
    "--every": "a number of seconds",
    "--samples": "a file name",
    "--settled": "",
    "--contents": "",
    "--native": "",
    "--timeout": "a number of seconds",
    "--method": "auto, remote-exec or ptrace",
    "--filtered": "",
}
#: How many samples there are between two snapshots.
SAMPLES = 10
#: A program may leak faster than leakgraph lists the memory of C code: each snapshot
#: then takes longer than the one before. Once one took SLOW seconds, so many of them
#: are enough.
SLOW, FEWEST = 10.0, 3
#: Code that prints where another Python has leakgraph.
PROBE = "import leakgraph; print(leakgraph.__path__[0])"


class Taken(NamedTuple):
    """A snapshot of another process, in a file."""

    path: str
    #: Seconds for which the process stopped.
    pause: float
    #: "remote-exec" or "ptrace".
    method: str


def attach(
    pid: int,
    path: _Path | None = None,
    *,
    previews: bool = False,
    keys: bool = True,
    contents: bool = False,
    native: bool = False,
    timeout: int = 30,
    method: _Method = "auto",
    filtered: bool = False,
    progress: _Progress = None,
) -> Snapshot:
    """Take a snapshot of another process, which was not prepared for it.

    The process stops for as long as a fork takes; its forked child walks the heap.
    Nothing of leakgraph stays in the process.

    path      where to save the snapshot; {pid} stands for the number of the process,
              {n} for the first free number; None saves none
    timeout   give up if the process reaches no safe point in so many seconds
    method    "remote-exec" has the process run a script, as sys.remote_exec() does
              (CPython 3.14); "ptrace" stops its main thread instead; "auto" is the
              first if it runs Python code within a second, or else the second.
              info()["attach.method"] of the snapshot says which of them it was
    filtered  attach even if a seccomp filter may end the process

    The other options are those of snapshot().

    Raises UnsupportedError if attaching is impossible, NotFoundError if there is no
    such process, and ChildError if it ends or reaches no safe point meanwhile.
    """
    if not hasattr(pid, "__index__"):
        raise TypeError(
            f"attach() takes the number of a process, not {type(pid).__name__}."
        )

    def save(place: _Path) -> Snapshot:
        return load(
            take(
                pid,
                place,
                previews=previews,
                keys=keys,
                contents=contents,
                native=native,
                timeout=timeout,
                method=method,
                filtered=filtered,
                progress=progress,
            ).path
        )

    if path is not None:
        return save(path)
    with TemporaryDirectory(prefix="leakgraph-") as folder:
        return save(os.path.join(folder, "snapshot.lgs"))


def take(
    pid: int,
    path: _Path,
    *,
    previews: bool = False,
    keys: bool = True,
    contents: bool = False,
    native: bool = False,
    timeout: int = 30,
    method: _Method = "auto",
    filtered: bool = False,
    progress: _Progress = None,
) -> Taken:
    """Save a snapshot, and say how."""
    library = _find_library(_version(pid, filtered))
    place = os.fsdecode(path).replace("{pid}", str(pid))
    saved, _, _, pause, by_script = _core._attach(
        pid,
        library,
        place,
        previews,
        keys,
        contents,
        native,
        filtered,
        timeout,
        method,
        progress,
    )
    return Taken(saved, pause, "remote-exec" if by_script else "ptrace")


def _version(pid: int, filtered: bool) -> int:
    """The minor version of its Python; names the child to attach to if it has none."""
    try:
        return _core._attach_version(pid, filtered)
    except UnsupportedError as error:
        others = python_below(pid) if NO_PYTHON in str(error) else []
        if not others:
            raise
        names = ", ".join(map(str, others))
        does = f"its child {names} does" if len(others) == 1 else f"{names} below it do"
        raise UnsupportedError(f"{error}; {does}") from None


def _find_library(minor: int) -> str:
    """The extension module for this version of Python."""
    own = Path(_core.__file__).parent
    named = os.environ.get("LEAKGRAPH_LIBRARIES", "").split(os.pathsep)
    for folder in [own, *(Path(one) for one in named if one)]:
        found = sorted(folder.glob(f"_core.cpython-3{minor}-*.so"))
        if found:
            return str(found[0])
    for folder in _other_folders(minor):
        found = sorted(folder.glob(f"_core.cpython-3{minor}-*.so"))
        if found:
            return str(found[0])
    raise UnsupportedError(
        f"The process runs Python 3.{minor}, and leakgraph is not installed for it:"
        f" run python3.{minor} -m pip install leakgraph, or name the folder of its"
        f" _core.cpython-3{minor}-*.so in LEAKGRAPH_LIBRARIES."
    )


def _other_folders(minor: int) -> list[Path]:
    """The folder of leakgraph in the Python of that version, if it is on PATH."""
    python = which(f"python3.{minor}")
    if python is None:
        return []
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    try:
        done = subprocess.run(
            [python, "-c", PROBE],
            capture_output=True,
            text=True,
            timeout=60,
            env=environment,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [Path(done.stdout.strip())] if done.returncode == 0 else []


def attach_verb(options: dict[str, str], words: list[str]) -> int:
    """Do what the command line asks for. Return the exit code."""
    if len(words) != 1 or not words[0].isdigit():
        fail("attach takes the number of a process: see leakgraph attach --help")
    count = _number(options, "--diff", "1")
    every = _seconds(options)
    if "--every" in options and count == 1:
        fail("attach: --every needs --diff with 2 or more")
    for name in ("--settled", "--samples"):
        if name in options and count == 1:
            fail(f"attach: {name} needs --diff with 2 or more")
    default = "leakgraph-{pid}.lgs" if count == 1 else "leakgraph-{pid}-{n}.lgs"
    path = options.get("-o", default)
    if count > 1 and "{n}" not in path:
        fail("attach: --diff needs a file name with {n} in it")
    pid = int(words[0])
    log = _open_log(options)
    saved = _save_each(pid, path, options, count, every, log)
    if log is not None:
        log.close()
    _answer(saved, options)
    return 0


def _save_each(
    pid: int,
    path: str,
    options: dict[str, str],
    count: int,
    every: float,
    log: Log | None,
) -> list[str]:
    """Take all snapshots, that many seconds apart. Return their files."""
    saved: list[str] = []
    known = identity(pid)
    more, took = 0, 0.0
    while len(saved) < count + more:
        if saved:
            _wait(pid, max(0.0, every - took), log)
            _check(pid, known)
        begin = time.monotonic()
        saved.append(_save(pid, path, options))
        if count > 1:
            _check(pid, known)
        took = time.monotonic() - begin
        _sample(pid, log)
        is_second = len(saved) == 2 < count and "--native" not in options
        if is_second and diff(*saved).needs_native:
            say("memory of C code grows: the next snapshots list it, too")
            options["--native"] = ""
            more = 2
        elif more and took > SLOW:
            more = max(0, 2 + FEWEST - count)
    return saved


def _open_log(options: dict[str, str]) -> Log | None:
    """Begin the file of samples, if one is asked for."""
    try:
        return Log(options["--samples"]) if "--samples" in options else None
    except OSError as error:
        fail(f"attach: cannot write {options['--samples']}: {error.strerror}")


def _wait(pid: int, seconds: float, log: Log | None) -> None:
    """Let time pass before the next snapshot, and sample meanwhile."""
    parts = 1 if log is None else SAMPLES
    for _ in range(parts):
        time.sleep(seconds / parts)
        _sample(pid, log)


def _check(pid: int, known: object) -> None:
    """Raise if the process is not the one that it was; not if it has just ended."""
    if identity(pid) not in (known, None):
        raise ChildError(
            f"process {pid} is not what it was at the first snapshot: it has started"
            " another program, or it has ended and another process has its number"
        )


def _sample(pid: int, log: Log | None) -> None:
    """Write the resident memory of a process, unless it has ended."""
    read = None if log is None else resident(pid)
    if log is not None and read is not None:
        log.add((float(read[0]),))


def _number(options: dict[str, str], name: str, default: str) -> int:
    """Return the value of an option that counts."""
    word = options.get(name, default)
    if not word.isdigit() or int(word) < 1 or len(word) > 5:
        fail(f"attach: {name} needs {OPTIONS[name]}, not {word}")
    return int(word)


def _seconds(options: dict[str, str]) -> float:
    """Return the time between two snapshots."""
    word = options.get("--every", "10")
    if not word.replace(".", "", 1).isdigit() or len(word) > 8:
        fail(f"attach: --every needs {OPTIONS['--every']}, not {word}")
    return float(word)


def _save(pid: int, path: str, options: dict[str, str]) -> str:
    """Take one snapshot and report it."""
    taken = take(
        pid,
        path,
        contents="--contents" in options,
        native="--native" in options,
        timeout=_number(options, "--timeout", "30"),
        method=cast("_Method", options.get("--method", "auto")),
        filtered="--filtered" in options,
    )
    say(
        f"snapshot of process {pid} saved to {taken.path}, by {taken.method}; the"
        f" process stopped for {taken.pause * 1000:.0f} ms, and nothing of leakgraph"
        " stays in it"
    )
    return taken.path


def _answer(saved: list[str], options: dict[str, str]) -> None:
    """Print what grows, and write the report."""
    if len(saved) > 1:
        print(diff(*saved, unit="second", settled="--settled" in options))
    if "--report" in options:
        with load(saved[-1]) as last:
            page = last.report(
                options["--report"],
                earlier=saved[:-1],
                samples=options.get("--samples"),
            )
            say(f"wrote {page}")
    sys.stdout.flush()
