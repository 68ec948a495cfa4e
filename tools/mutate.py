"""Mutation tests: break the code a little, and check that a test fails.

    mutate.py                    the permanent mutants, mutants.txt
    mutate.py --sample 300       and 300 others of the code for policy and reports
    mutate.py --sample 50 --files 'libgraph/src/findings/*.c'

Works on a copy of the tree in build/mutate. It remembers the verdict on a mutant of the
sample until the mutant's file changes. It remembers a survivor only until a test
changes. So after an interruption the next run goes on where the last one stopped. Ends
with the number of mutants killed, survived and equivalent. Exit status 1: a mutant
survived that mutants_equivalent.txt does not explain; 2: a list does not fit the code,
or the copy fails without a mutant.
"""

from __future__ import annotations

import argparse
import fnmatch
import hashlib
import json
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import mutants
import tracked
from mutants import Mutant
from workcopy import Broken, WorkCopy

# The code that decides what a report or picture says, and the tests closest to it. A
# mutant that passes these meets all the tests of THOROUGH.
NEAR = {
    "libgraph/src/findings/*.c": ("c.patterns.*", "c.findings", "c.thresholds"),
    "libgraph/src/*/*merged*.c": ("c.merged", "c.report_paths"),
    "libgraph/src/report/report_paths*.c": ("c.merged", "c.report_paths"),
    "libgraph/src/paths/*.c": ("c.path", "c.cuts", "c.merged", "c.select"),
    "libgraph/src/answers/*.c": (
        "c.(advice|dominator_tree|report_why)",
        "c.(report_)?top.*",
        "c.waste.*",
    ),
    "libgraph/src/report/*.c": ("c.report(|_[^p].*)", "c.table"),
    "libgraph/src/table/*.c": ("c.table.*", "c.json", "c.width", "c.shown"),
    "libgraph/src/graph/category.c": ("c.category",),
    "libgraph/src/analysis/policy.c": ("c.policy", "c.analysis"),
    "libgraph/src/cycles/*.c": ("c.cycles", "c.rule", "c.collectable"),
    "libgraph/src/growth/*.c": (
        "c.(growth.*|places|ranks|trend)",
        "c.(report_growth|summary.*)",
    ),
    "export/pick/*.c": ("export.view", "export.context", "export.analysed"),
    "export/page/*.c": ("export.(page|ranks_page)", "export.page_limits"),
    "export/pictures/*.c": (
        "export.(analysed|view)",
        "export.(cycle|growth)_view",
        "export.picture_limits",
    ),
    "export/view/*.c": ("export.view", "export.analysed", "export.golden"),
    "export/write/*.c": ("export.golden", "export.analysed"),
    "pyext/leakgraph/frames.py": ("tests/py/test_results.py",),
    "pyext/leakgraph/notebook.py": ("tests/py/test_notebook.py",),
    "pyext/leakgraph/series.py": ("tests/py/test_results.py",),
}
# Leaves out the slowest tests: of failing allocations, of depth, of random graphs; and
# Node.js, which reserves more address space than a mutant's test may have.
SLOW = (
    "oom|deep|random|memory|render|c.analysis$|c.save$|igraph|bridge|dot|report_paths"
    "|page.script"
)
THOROUGH = (r"(c|export)\..*", f"-.*({SLOW}).*")

KILLED, SURVIVED, EQUIVALENT = "killed", "survived", "equivalent"
UNBUILDABLE, SAME = "does not compile", "compiles to the same"


class Memory:
    """The verdicts of earlier runs, one line of JSON each."""

    def __init__(self, root: Path, path: Path) -> None:
        self.root, self.path = root, path
        tests = hashlib.sha256()
        for name in tracked.files(root, ".c", ".h", ".py", ".txt", ".json"):
            if name.parts[0] == "tests":
                tests.update((root / name).read_bytes())
        self.tests = tests.hexdigest()
        self.known: dict[str, dict[str, str]] = {}
        if path.is_file():
            for line in path.read_text("utf-8").splitlines():
                entry = json.loads(line)
                self.known[entry["key"]] = entry

    def key(self, mutant: Mutant) -> str:
        """Return the key of a mutant of a file in its present state."""
        content = (self.root / mutant.path).read_bytes()
        change = f"{mutant.path}\0{mutant.line}\0{mutant.after}\0".encode()
        return hashlib.sha256(change + content).hexdigest()

    def recall(self, mutant: Mutant) -> tuple[str, str] | None:
        """Return the verdict, unless a new test may kill a survivor."""
        entry = self.known.get(self.key(mutant))
        if entry is None:
            return None
        if entry["verdict"] == SURVIVED and entry["tests"] != self.tests:
            return None
        return entry["verdict"], entry["by"]

    def keep(self, mutant: Mutant, verdict: str, by: str) -> None:
        """Remember a verdict."""
        entry = {"key": self.key(mutant), "verdict": verdict, "by": by}
        entry["tests"] = self.tests
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")


def tests_of(mutant: Mutant) -> list[tuple[str, ...]]:
    """List the tests to run on a mutant, one group after the other."""
    if mutant.tests:
        return [mutant.tests]
    for pattern, near in NEAR.items():
        if fnmatch.fnmatch(mutant.path, pattern):
            return [near] if mutant.path.endswith(".py") else [near, THOROUGH]
    return [THOROUGH]


def judge(copy: WorkCopy, mutant: Mutant) -> tuple[str, str]:
    """Find out whether a test kills the mutant, and which one; restore the copy."""
    groups = tests_of(mutant)
    for tests in groups:
        copy.check(tests)
    path = copy.place / mutant.path
    whole = path.read_bytes()
    unchanged = copy.originals.setdefault(mutant.path, copy.digest(mutant.path))
    every = tuple(test for tests in groups for test in tests)
    path.write_text(mutant.applied(whole.decode()), "utf-8")
    try:
        if not copy.compiles(mutant.path) or not copy.build(every)[0]:
            return UNBUILDABLE, ""
        if unchanged and copy.digest(mutant.path) == unchanged:
            return SAME, ""
        for tests in groups:
            passed, failed = copy.test(tests)
            if not passed:
                return KILLED, failed
        return SURVIVED, ""
    finally:
        path.write_bytes(whole)


def show(text: str, *, keep: bool) -> None:
    """Print a line. On a terminal the next one replaces it, unless it is to stay."""
    if sys.stdout.isatty():
        print("\r\033[K" + text, end="\n" if keep else "", flush=True)
    elif keep:
        print(text, flush=True)


class Run:
    """A run over a list of mutants."""

    def __init__(self, copy: WorkCopy, memory: Memory) -> None:
        self.copy, self.memory = copy, memory
        listed = mutants.EQUIVALENT.read_text("utf-8")
        self.reasons = mutants.equivalent(copy.root, listed)
        self.verdicts: Counter[str] = Counter()
        self.survivors: list[Mutant] = []

    def verdict(self, mutant: Mutant) -> tuple[str, str]:
        """Return the known verdict on the mutant, or a new one."""
        if mutants.reason_of(mutant, self.reasons) is not None:
            return EQUIVALENT, ""
        recalled = None if mutant.tests else self.memory.recall(mutant)
        verdict, by = recalled or judge(self.copy, mutant)
        if not mutant.tests and recalled is None:
            self.memory.keep(mutant, verdict, by)
        return verdict, by

    def over(self, title: str, every: Sequence[Mutant], count: int) -> None:
        """Try until so many compiled; print the progress, and survivors at once."""
        start = time.monotonic()
        number = 0
        for mutant in every:
            if number == count:
                break
            show(f"[{number}/{count}] {mutant}"[:100], keep=False)
            verdict, _ = self.verdict(mutant)
            self.verdicts[verdict] += 1
            if verdict == SURVIVED or (mutant.tests and verdict != KILLED):
                self.survivors.append(mutant)
                show(f"{verdict}: {mutant}", keep=True)
            number += bool(mutant.tests) or verdict != UNBUILDABLE
            if number % 20 == 0 and verdict == KILLED:
                show(f"[{number}/{count}] {self.summary()}", keep=True)
        seconds = time.monotonic() - start
        show(f"{title}: {number} mutants in {seconds:.0f} s", keep=True)

    def summary(self) -> str:
        """Count each verdict."""
        order = (KILLED, SURVIVED, EQUIVALENT, SAME, UNBUILDABLE)
        counts = [f"{self.verdicts[verdict]} {verdict}" for verdict in order]
        return f"{sum(self.verdicts.values())} mutants: " + ", ".join(counts)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Parse the command line."""
    first, _, rest = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(
        description=first,
        epilog=rest,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--sample", type=int, default=0, metavar="N", help="mutants that compile"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", nargs="+", default=list(NEAR), metavar="PATTERN")
    parser.add_argument("--skip-permanent", action="store_true")
    return parser.parse_args(arguments)


def try_all(chosen: argparse.Namespace, run: Run, root: Path) -> None:
    """Try the permanent mutants, then the sample."""
    listed = mutants.listed(root, mutants.PERMANENT.read_text("utf-8"))
    run.copy.sync()
    run.copy.configure()
    if not chosen.skip_permanent:
        run.over("permanent", listed, len(listed))
    if chosen.sample:
        names = [str(path) for path in tracked.files(root, ".c", ".py")]
        paths = [
            name
            for name in names
            if any(fnmatch.fnmatch(name, pattern) for pattern in chosen.files)
        ]
        every = mutants.shuffled(root, paths, chosen.seed)
        run.over("sample", every, chosen.sample)


def main(arguments: Sequence[str] | None = None, root: Path = tracked.ROOT) -> int:
    """Try the mutants; return the exit status."""
    chosen = parse(arguments)
    os.nice(10)
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.default_int_handler)
    place = root / "build" / "mutate"
    place.mkdir(parents=True, exist_ok=True)
    try:
        run = Run(WorkCopy(root, place / "tree"), Memory(root, place / "verdicts"))
        try_all(chosen, run, root)
    except (mutants.Stale, Broken) as error:
        print(f"mutate: {error}")
        return 2
    except KeyboardInterrupt:
        print(f"\nmutate: interrupted after {run.summary()}")
        return 130
    print(run.summary())
    for mutant in run.survivors:
        print(f"  not killed: {mutant}")
    return 1 if run.survivors else 0


if __name__ == "__main__":
    sys.exit(main())
