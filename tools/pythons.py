"""Builds the extension and runs its tests on every other CPython found.

It looks for interpreters on PATH (python3.9 to python3.15) and among pyenv's, and uses
those that run and have their headers. Each gets a build folder and a small virtual
environment with pytest and numpy. Tests marked `libraries` or `once` run only on the
main interpreter. The oldest and the newest share the files marked `ends`: each file
runs on one of the two. All other tests run on all interpreters. release/matrix.py runs
everything on each, and does it for more interpreters.
"""

from __future__ import annotations

import os
import subprocess
import sys
import zlib
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import suite
import tracked

VERSIONS = [(3, minor) for minor in range(9, 16)]

#: What some tests use.
LIBRARIES = ("numpy", "greenlet")

#: Compiles like the main build, so that ccache already has the C library.
AS_THE_MAIN_ONE = ("--preset", "dev")

PROBE = """
import os, platform, sys, sysconfig
header = os.path.join(sysconfig.get_path("include"), "Python.h")
if platform.python_implementation() == "CPython" and os.path.exists(header):
    free = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    print(*sys.version_info[:3], int(free), sys.executable)
"""


@dataclass(frozen=True)
class Interpreter:
    """A CPython that can build extensions."""

    version: tuple[int, int, int]
    free_threaded: bool
    path: str

    @property
    def name(self) -> str:
        """Return the version, as in "3.14.7t"."""
        return ".".join(map(str, self.version)) + "t" * self.free_threaded


def probe(command: Path | str) -> Interpreter | None:
    """Describe an interpreter; None if it cannot build extensions."""
    try:
        result = subprocess.run(
            [str(command), "-c", PROBE], capture_output=True, text=True, timeout=30
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    words = result.stdout.split(maxsplit=4)
    if result.returncode or len(words) != 5:
        return None
    major, minor, micro, free = map(int, words[:4])
    return Interpreter((major, minor, micro), bool(free), words[4].strip())


def installed(*preferred: str) -> list[Interpreter]:
    """List the preferred ones, pyenv's and PATH's: each version once, oldest first."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    candidates: list[Path | str] = list(preferred)
    candidates += sorted(pyenv.glob("versions/*/bin/python3"))
    for major, minor in VERSIONS:
        candidates += [f"python{major}.{minor}", f"python{major}.{minor}t"]
    answers = [answer for answer in map(probe, candidates) if answer]
    answers = [answer for answer in answers if answer.version[:2] in VERSIONS]
    found = {answer.name: answer for answer in reversed(answers)}
    return sorted(found.values(), key=lambda one: (one.version, one.free_threaded))


def interpreters() -> dict[tuple[int, int], str]:
    """List one interpreter for each version with the GIL, without this one's."""
    found: dict[tuple[int, int], str] = {}
    for one in installed():
        version = one.version[:2]
        if version in VERSIONS and version != sys.version_info[:2]:
            if not one.free_threaded:
                found.setdefault(version, one.path)
    return found


def environment(folder: Path, python: str, *packages: str) -> Path:
    """Make a virtual environment with the tests' packages; return its interpreter.

    If the call names packages, the environment has only these. A library that has no
    wheel for this interpreter is left out: its tests are skipped.
    """
    inside = folder / "bin/python"
    stamp = folder / "installed.txt"
    if not stamp.exists():
        install = [str(inside), "-m", "pip", "install", "-qq"]
        subprocess.run([python, "-m", "venv", "--clear", str(folder)], check=True)
        subprocess.run([*install, *(packages or ("pytest",))], check=True)
        for library in () if packages else LIBRARIES:
            if subprocess.run([*install, "--only-binary=:all:", library]).returncode:
                print(f"== no {library} for {python}", flush=True)
        stamp.touch()
    return inside


def build(folder: Path, python: str | Path, *options: str) -> None:
    """Build the extension in a folder."""
    define = [f"-DPython_EXECUTABLE={python}", "-DLEAKGRAPH_TESTS=OFF", *options]
    define.append(f"-DLEAKGRAPH_WERROR={os.environ.get('WERROR', 'OFF')}")
    configure = ["cmake", "-S", ".", "-B", str(folder), "-G", "Ninja", *define]
    subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", str(folder), "--", "--quiet"], check=True)


def settings(folder: Path) -> dict[str, str]:
    """Return the process environment that finds the build in the folder."""
    return os.environ | {
        "PYTHONPATH": str(folder / "python"),
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
    }


def runs_of(
    name: str,
    python: str | Path,
    folder: Path,
    marked: str = suite.EVERYWHERE,
    without: Iterable[str] = (),
) -> list[suite.Run]:
    """List the tests that this Python must pass."""
    return suite.runs_of(
        name, str(python), folder, marked, "tests/py", settings(folder), without
    )


def shares(ends: Iterable[tuple[int, int]]) -> dict[tuple[int, int], list[str]]:
    """Say which files marked `ends` each of the ends leaves to the other one.

    The name of a file decides, so that a new file moves none of the others.
    """
    versions = sorted({*ends})
    files = suite.marked_wholly(suite.files_in("tests/py"), "ends")
    takes = {
        file: versions[zlib.crc32(file.encode()) % len(versions)] for file in files
    }
    return {
        version: [file for file in files if takes[file] != version]
        for version in versions
    }


def prepared(version: tuple[int, int], python: str) -> tuple[Path, Path]:
    """Make an environment and a build; return its interpreter and its folder."""
    name = ".".join(map(str, version))
    print(f"== CPython {name}: build", flush=True)
    inside = environment(tracked.ROOT / f".venv-{name}", python)
    folder = tracked.ROOT / f"build/py{name}"
    build(folder, inside, *AS_THE_MAIN_ONE)
    return inside, folder


def all_prepared(
    found: Mapping[tuple[int, int], str],
) -> dict[tuple[int, int], tuple[Path, Path]]:
    """Prepare some at a time: each waits for the network, and configures alone."""
    with ThreadPoolExecutor(max_workers=suite.AT_ONCE) as pool:
        return dict(zip(found, pool.map(prepared, found, found.values())))


def main() -> int:
    """Build for all of them, and test some at a time; return 1 if any fails."""
    os.chdir(tracked.ROOT)
    runs: list[suite.Run] = []
    found = interpreters()
    left = shares([min(found), max(found)]) if found else {}
    for number, (inside, folder) in all_prepared(found).items():
        marked = suite.EVERYWHERE if number in left else suite.BETWEEN
        without = left.get(number, [])
        version = ".".join(map(str, number))
        runs += runs_of(f"{version}-", inside, folder, marked, without)
    failed = [one.name for one in suite.run_all(runs)]
    names = [".".join(map(str, number)) for number in found]
    print(
        f"other CPythons: {', '.join(names) or 'none'};"
        f" failed: {', '.join(failed) or 'none'}"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
