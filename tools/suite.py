"""Runs all tests in several processes, some at a time.

    python tools/suite.py BUILD

Most tests in Python take snapshots of their own process, which holds everything that
pytest has collected there. So each process runs only a part of the files: most tests
then take half the time, and all processors are busy until the end. Results go to
BUILD/junit-py-*.xml, and those of the tests in C to BUILD/junit-c.xml.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import tracked

#: Fewer parts have larger heaps; more parts start pytest, import and compile fixtures
#: more often.
PARTS = 24
#: If most tests run elsewhere, more parts would leave some without tests.
FEW_PARTS = 8
#: How many processes run at a time. The third one fills in while others wait: for a
#: browser, a signal, a process that ends.
AT_ONCE = (os.cpu_count() or 1) + 1
#: Files whose tests mostly wait: for an answer that another process must not give in
#: time, for example. One process beside the others runs these: it seldom needs a
#: processor.
WAITING = ("test_attach", "test_tool_attach_torture")
#: Seconds that the slowest files take on two processors, without tests that need
#: libraries; the others take time by their length. If these are wrong, the last
#: processes end at different times, and processors are idle.
SECONDS = {
    "test_attach": 63,
    "test_browser": 38,
    "test_tool_attach_torture": 30,
    "test_growth_programs": 30,
    "test_growth": 26,
    "test_fork": 23,
    "test_kept": 16,
    "test_armed": 16,
    "test_pytest_plugin": 15,
    "test_native_growth": 11,
    "test_repeats": 10,
    "test_native_programs": 10,
    "test_captures_in_turn": 10,
    "test_bounds": 10,
    "test_view": 9,
    "test_two_threads": 9,
    "test_leaks": 9,
    "test_harness": 9,
    "test_native_over_time": 9,
    "test_activations": 8,
    "test_interrupt": 7,
    "test_filling": 7,
    "test_cuts": 7,
    "test_expiry": 7,
    "test_watch": 7,
    "test_run": 6,
    "test_suspended": 6,
    "test_forked_children": 6,
    "test_tool_suite": 6,
    "test_buffers_registered": 5,
    "test_public": 5,
    "test_growth_picture": 5,
    "test_cycles": 5,
    "test_observer": 5,
    "test_own_memory": 5,
    "test_tool_symbols": 4,
    "test_native_snapshots": 4,
    "test_leading": 4,
    "test_layouts": 4,
    "test_why": 4,
    "test_drawing": 4,
    "test_tool_ccache": 4,
    "test_bursts": 4,
    "test_tool_wheel": 4,
    "test_renderer": 4,
    "test_analysis": 3,
    "test_small": 3,
    "test_ending": 3,
    "test_page": 3,
    "test_order": 3,
    "test_call_arguments": 3,
    "test_results": 3,
    "test_versions": 3,
    "test_running_places": 3,
    "test_numpy_arrays": 3,
    "test_watched": 3,
    "test_findings": 2,
    "test_limits": 2,
    "test_tool_wheels": 1,
    "test_objgraph": 1,
    "test_found": 1,
    "test_race": 1,
}
BYTES_A_SECOND = 4_500

#: What remains of the files that need libraries, beside the parts of one kind each.
LIBRARY_PARTS = 2

#: Idle threads of a library must not spin: processes of tests share the processors.
QUIET = {"OMP_WAIT_POLICY": "passive"}

#: Tests that need libraries, and those with the same result on every Python, run once.
LIBRARIES = "libraries"
OTHERS = "not libraries"
EVERYWHERE = "not libraries and not once"
#: What an interpreter runs that runs none of the files marked `ends`.
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
    waits: bool = False

    @property
    def junit(self) -> Path:
        """Return the path of the results."""
        return self.build / f"junit-py-{self.name}.xml"

    @property
    def command(self) -> tuple[str | Path, ...]:
        """Return what runs."""
        options = ("-q", "-m", self.marked, f"--junitxml={self.junit}")
        return (self.python, "-m", "pytest", *options, *self.files)


@dataclass(frozen=True)
class RunInC:
    """The tests in C, one at a time, beside the others."""

    build: Path
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    waits: bool = True
    command: tuple[str | Path, ...] = (
        Path(sys.executable).with_name("ctest"),
        *("--preset", "dev"),
    )

    @property
    def junit(self) -> Path:
        """Return the path of the results, which CMakePresets.json names."""
        return self.build / "junit-c.xml"


AnyRun = TypeVar("AnyRun", bound="Run | RunInC")


def cost(file: str) -> float:
    """Guess the seconds that a file takes."""
    return SECONDS.get(Path(file).stem, os.path.getsize(file) / BYTES_A_SECOND)


def parts(files: Iterable[str], count: int) -> list[tuple[str, ...]]:
    """Split the files into parts that take about as long, the longest first."""
    made: list[list[str]] = [[] for _ in range(count)]
    costs = [0.0] * count
    for file in sorted(files, key=lambda file: (-cost(file), file)):
        least = costs.index(min(costs))
        made[least].append(file)
        costs[least] += cost(file)
    made.sort(key=lambda part: -sum(map(cost, part)))
    return [tuple(sorted(part)) for part in made if part]


def files_in(folder: str) -> list[str]:
    """List the files of tests in a folder of the project, without those for a GPU."""
    root = tracked.ROOT
    found = [path.relative_to(root) for path in root.glob(f"{folder}/**/test_*.py")]
    return [str(path) for path in found if path.parts[:2] != ("tests", "gpu")]


def matching(files: Iterable[str], pattern: str) -> list[str]:
    """Select the files whose text has the pattern."""
    found = re.compile(pattern, re.MULTILINE).search
    return [file for file in files if found((tracked.ROOT / file).read_text())]


def selected(files: Iterable[str], marked: str) -> list[str]:
    """Leave out files of which no test runs.

    To collect one of them costs time, and may import a library: all snapshots of the
    process would have it.
    """
    kept = list(files)
    for marker in re.findall(r"not (\w+)", marked):
        whole = {*marked_wholly(kept, marker)}
        kept = [file for file in kept if file not in whole]
    return kept


def marked_wholly(files: Iterable[str], marker: str) -> list[str]:
    """List the files that mark all of their tests, first of all with the marker."""
    return matching(files, rf"^pytestmark = (\[\s*)?pytest\.mark\.{marker}\b")


def runs_of(
    name: str,
    python: str,
    build: Path,
    marked: str,
    folder: str,
    environment: Mapping[str, str] = os.environ,
    without: Iterable[str] = (),
) -> list[Run]:
    """List the runs that together run the marked tests of a folder, without files."""
    left = {*without}
    files = [file for file in files_in(folder) if file not in left]
    count = FEW_PARTS if left or marked == BETWEEN else PARTS
    chosen = selected(files, marked)
    waiting = [file for file in chosen if Path(file).stem in WAITING]
    others = parts((file for file in chosen if file not in waiting), count - 1)
    return [
        Run(f"{name}{number}", python, build, marked, part, environment, number == 0)
        for number, part in enumerate([tuple(waiting), *others])
        if part
    ]


#: Files that share a process each. A process that tests fork imports torch once for
#: all of them, and once more for those that set up malloc. Tests that import it here
#: make all snapshots of their process large.
OF_ONE_KIND = (
    r"^from malloced import SETTINGS",
    r"def \w+\(.*\bwarm\b",
    r"pytest\.importorskip\(\"(torch|lightning)",
)


def library_parts() -> list[tuple[str, ...]]:
    """Split the files of tests that need libraries. The longest part comes first.

    The files that import torch run backwards, because the first one imports more.
    """
    left = matching(files_in("tests"), rf"mark\.{LIBRARIES}")
    examples = [file for file in left if file.startswith("tests/examples/")]
    left = sorted({*left} - {*examples})
    made = []
    for pattern in OF_ONE_KIND:
        made.append(tuple(matching(left, pattern)))
        left = [file for file in left if file not in made[-1]]
    malloced, forking, importing = made
    rest = parts(left, LIBRARY_PARTS)
    return [tuple(examples), forking, malloced, *rest, importing[::-1]]


def library_runs(python: str, build: Path) -> list[Run]:
    """List the runs of all tests that need libraries."""
    return [
        Run(f"{LIBRARIES}-{number}", python, build, LIBRARIES, part)
        for number, part in enumerate(library_parts(), 1)
    ]


def run(one: Run | RunInC) -> bool:
    """Run the tests, and print what they print; return whether all passed."""
    one.junit.unlink(missing_ok=True)
    done = subprocess.run(
        one.command,
        env={**QUIET, **one.environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    status = "passed" if done.returncode == 0 else "FAILED"
    print(f"== {one.junit}: {status}\n{done.stdout}", flush=True)
    return done.returncode == 0


def run_all(runs: Iterable[AnyRun]) -> list[AnyRun]:
    """Run them in order, AT_ONCE at a time, and beside them one of those that wait.

    Return those that failed.
    """
    with ThreadPoolExecutor(AT_ONCE) as pool, ThreadPoolExecutor(1) as beside:
        results = [
            (one, (beside if one.waits else pool).submit(run, one)) for one in runs
        ]
        return [one for one, result in results if not result.result()]


def main(build: Path) -> int:
    """Run all tests on this Python. Those that need libraries take the longest."""
    os.chdir(tracked.ROOT)
    libraries = library_runs(sys.executable, build)
    others = runs_of("", sys.executable, build, OTHERS, "tests")
    runs: list[Run | RunInC] = [RunInC(build), *libraries, *others]
    failed = run_all(runs)
    for one in failed:
        print(f"failed: {one.junit}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
