"""Runs the Python tests in several processes, two at a time.

    python tools/suite.py BUILD

Most tests take snapshots of their own process, which holds everything that pytest has
collected there. So each process runs only a part of the files: most tests then take
half the time, and both processors are busy until the end. Results go to
BUILD/junit-py-*.xml.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import tracked

#: Fewer parts have larger heaps; more parts start pytest, import and compile fixtures
#: more often.
PARTS = 24
#: If most tests run elsewhere, more parts would leave some without tests.
FEW_PARTS = 8
#: Torch and matplotlib make each of these heaps large, and take seconds to import.
LIBRARY_PARTS = 4

#: Idle threads of a library must not spin: two processes of tests share two processors.
QUIET = {"OMP_WAIT_POLICY": "passive"}

#: Tests that need libraries, and those with the same result on every Python, run once.
LIBRARIES = "libraries"
OTHERS = "not libraries"
EVERYWHERE = "not libraries and not once"
#: What an interpreter runs between two that run everything.
BETWEEN = f"{EVERYWHERE} and not ends"


@dataclass(frozen=True)
class Run:
    """One process of pytest."""

    name: str
    python: str
    build: Path
    marked: str
    files: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)

    @property
    def junit(self) -> Path:
        """Return the path of the results."""
        return self.build / f"junit-py-{self.name}.xml"


def parts(files: Iterable[str], count: int) -> list[tuple[str, ...]]:
    """Split the files into parts of about as much text, in order."""
    made: list[list[str]] = [[] for _ in range(count)]
    sizes = [0] * count
    for file in sorted(files, key=lambda file: (-os.path.getsize(file), file)):
        least = sizes.index(min(sizes))
        made[least].append(file)
        sizes[least] += os.path.getsize(file)
    return [tuple(sorted(part)) for part in made if part]


def files_in(folder: str) -> list[str]:
    """List the files of tests in a folder of the project, without those for a GPU."""
    root = tracked.ROOT
    found = [path.relative_to(root) for path in root.glob(f"{folder}/**/test_*.py")]
    return [str(path) for path in found if path.parts[:2] != ("tests", "gpu")]


def with_marker(files: Iterable[str], marker: str) -> list[str]:
    """Select the files that mark at least one test so."""
    mark = f"mark.{marker}"
    return [file for file in files if mark in (tracked.ROOT / file).read_text()]


def runs_of(
    name: str,
    python: str,
    build: Path,
    marked: str,
    folder: str,
    environment: Mapping[str, str] = os.environ,
) -> list[Run]:
    """List the runs that together run the marked tests of a folder."""
    count = FEW_PARTS if marked == BETWEEN else PARTS
    return [
        Run(f"{name}{number}", python, build, marked, files, environment)
        for number, files in enumerate(parts(files_in(folder), count), 1)
    ]


def library_runs(python: str, build: Path) -> list[Run]:
    """List the runs of all tests that need libraries.

    Those of the examples share the processes that have imported a library, and take
    about as long as another part.
    """
    files = with_marker(files_in("tests"), LIBRARIES)
    examples = [file for file in files if file.startswith("tests/examples/")]
    others = [file for file in files if file not in examples]
    return [
        Run(f"{LIBRARIES}-{number}", python, build, LIBRARIES, part)
        for number, part in enumerate(
            [tuple(examples), *parts(others, LIBRARY_PARTS - 1)], 1
        )
    ]


def run(one: Run) -> bool:
    """Run the tests, and print pytest's output; return whether all passed."""
    one.junit.unlink(missing_ok=True)
    done = subprocess.run(
        [
            *(one.python, "-m", "pytest", "-q", "-m", one.marked),
            *(f"--junitxml={one.junit}", *one.files),
        ],
        env={**QUIET, **one.environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    status = "passed" if done.returncode == 0 else "FAILED"
    print(f"== {one.junit}: {status}\n{done.stdout}", flush=True)
    return done.returncode == 0


def run_all(runs: Iterable[Run]) -> list[Run]:
    """Run them in order, two at a time; return those that failed."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        results = [(one, pool.submit(run, one)) for one in runs]
        return [one for one, result in results if not result.result()]


def main(build: Path) -> int:
    """Run all tests on this Python. Those that need libraries take the longest."""
    os.chdir(tracked.ROOT)
    libraries = library_runs(sys.executable, build)
    others = runs_of("", sys.executable, build, OTHERS, "tests")
    failed = run_all([*libraries, *others])
    for one in failed:
        print(f"failed: {one.junit}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
