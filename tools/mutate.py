"""Mutation tests: break the code a little, and check that a test fails.

    mutate.py                    the permanent mutants, mutants.txt
    mutate.py --sample 300       and 300 others of the code for policy and reports
    mutate.py --sample 50 --files 'libgraph/src/findings/*.c'

Works on copies of the tree in build/mutate, one for each of the --jobs. It remembers
the verdict on a mutant until the file changes, on a survivor only until a test
changes, and on permanent mutants only until all of them are killed. So after an
interruption, and after a test of a survivor is mended, the next run goes on where the
last one stopped. Ends with the number of mutants killed, survived and equivalent. Exit
status 1: a mutant survived that mutants_equivalent.txt does not explain, or a test of a
mutant fails without it; 2: a list does not fit the code, or a copy does not build.
"""

from __future__ import annotations

import argparse
import fnmatch
import hashlib
import json
import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import mutants
import tracked
from mutants import Mutant
from workcopy import Broken, WorkCopy, targets_of

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
# Leaves out the slowest tests: of failing allocations, of depth, of random graphs, and
# of the page's script.
SLOW = (
    "oom|deep|random|memory|render|c.analysis$|c.save$|igraph|bridge|dot|report_paths"
    "|page.script"
)
THOROUGH = (r"(c|export)\..*", f"-.*({SLOW}).*")

KILLED, SURVIVED, EQUIVALENT = "killed", "survived", "equivalent"
UNBUILDABLE, SAME = "does not compile", "compiles to the same"
UNFIT = "has a test that fails anyway"


class Memory:
    """The verdicts of earlier runs, one line of JSON each."""

    def __init__(self, root: Path, path: Path) -> None:
        self.root, self.path = root, path
        tests = hashlib.sha256()
        for name in tracked.files(root, ".c", ".h", ".py", ".txt", ".json"):
            if name.parts[0] == "tests":
                tests.update((root / name).read_bytes())
        self.tests = tests.hexdigest()
        self.contents: dict[str, bytes] = {}
        self.known: dict[str, dict[str, str]] = {}
        if path.is_file():
            for line in path.read_text("utf-8").splitlines():
                entry = json.loads(line)
                self.known[entry["key"]] = entry

    def key(self, mutant: Mutant) -> str:
        """Return the key of a mutant of a file as it was when first asked about."""
        if mutant.path not in self.contents:
            self.contents[mutant.path] = (self.root / mutant.path).read_bytes()
        tests = " ".join(mutant.tests)
        change = f"{mutant.path}\0{mutant.line}\0{mutant.after}\0{tests}".encode()
        return hashlib.sha256(change + self.contents[mutant.path]).hexdigest()

    def recall(self, mutant: Mutant) -> tuple[str, str] | None:
        """Return the verdict, unless a new test may kill a survivor."""
        entry = self.known.get(self.key(mutant))
        if entry is None or entry["verdict"] == UNFIT:
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

    def forget(self, every: Sequence[Mutant]) -> None:
        """Forget the verdicts on these mutants: the next run tries them again."""
        for mutant in every:
            self.known.pop(self.key(mutant), None)
        kept = [json.dumps(entry) + "\n" for entry in self.known.values()]
        self.path.write_text("".join(kept), "utf-8")


def tests_of(mutant: Mutant) -> list[tuple[str, ...]]:
    """List the tests to run on a mutant, one group after the other."""
    if mutant.tests:
        return [mutant.tests]
    for pattern, near in NEAR.items():
        if fnmatch.fnmatch(mutant.path, pattern):
            return [near] if mutant.path.endswith(".py") else [near, THOROUGH]
    return [THOROUGH]


def judge(copy: WorkCopy, mutant: Mutant) -> tuple[str, str]:
    """Find out whether a test kills the mutant, and which one; restore the copy.

    The test passes without the mutant: all are run before a mutant of the sample, and
    after a permanent one the test that failed, because it has many tests of its own.
    """
    groups = tests_of(mutant)
    for tests in [] if mutant.tests else groups:
        failed = copy.check(tests)
        if failed:
            return UNFIT, failed
    verdict, by = tried(copy, mutant, groups)
    if mutant.tests and verdict == KILLED:
        test = by.partition("[")[0]
        is_test = bool(targets_of(test)) and " " not in test
        failed = copy.check((test,) if is_test else mutant.tests)
        if failed:
            return UNFIT, failed
    return verdict, by


def tried(
    copy: WorkCopy, mutant: Mutant, groups: Sequence[tuple[str, ...]]
) -> tuple[str, str]:
    """Run the tests on the mutant, and restore the copy."""
    path = copy.place / mutant.path
    whole = path.read_bytes()
    unchanged = ""
    if not mutant.tests:
        digest = copy.digest(mutant.path)
        unchanged = copy.originals.setdefault(mutant.path, digest)
    every = tuple(test for tests in groups for test in tests)
    path.write_text(mutant.applied(whole.decode()), "utf-8")
    try:
        quick = mutant.tests or copy.compiles(mutant.path)
        if not quick or not copy.build(every)[0]:
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


def order(mutant: Mutant) -> tuple[int, str, tuple[str, ...]]:
    """Sort mutants by cost: those of headers, which many files include, come last."""
    python = any(test.startswith("tests/") for test in mutant.tests)
    cost = 2 if mutant.path.endswith(".h") else int(python)
    return cost, mutant.path, mutant.tests


def show(text: str, *, keep: bool) -> None:
    """Print a line. On a terminal the next one replaces it, unless it is to stay."""
    if sys.stdout.isatty():
        print("\r\033[K" + text, end="\n" if keep else "", flush=True)
    elif keep:
        print(text, flush=True)


class Run:
    """A run over a list of mutants, with a thread for each copy of the tree."""

    def __init__(self, copies: Sequence[WorkCopy], memory: Memory) -> None:
        self.copies, self.memory = copies, memory
        root = copies[0].root
        self.reasons = mutants.equivalent(root, mutants.EQUIVALENT.read_text("utf-8"))
        self.verdicts: Counter[str] = Counter()
        self.survivors: list[Mutant] = []
        self.number = 0
        self.ends = False
        self.lock = threading.Lock()

    def verdict(self, copy: WorkCopy, mutant: Mutant) -> tuple[str, str]:
        """Return the known verdict on the mutant, or a new one."""
        if mutants.reason_of(mutant, self.reasons) is not None:
            return EQUIVALENT, ""
        recalled = self.memory.recall(mutant)
        if recalled is not None and not (mutant.tests and recalled[0] != KILLED):
            return recalled
        verdict, by = judge(copy, mutant)
        with self.lock:
            self.memory.keep(mutant, verdict, by)
        return verdict, by

    def over(self, title: str, every: Sequence[Mutant], count: int) -> None:
        """Try until so many compiled; print the progress, and survivors at once."""
        start = time.monotonic()
        self.number = 0
        left = iter(every)
        with ThreadPoolExecutor(len(self.copies)) as pool:
            works = [pool.submit(self.work, copy, left, count) for copy in self.copies]
            try:
                for work in works:
                    work.result()
            finally:
                self.ends = True
        seconds = time.monotonic() - start
        show(f"{title}: {self.number} mutants in {seconds:.0f} s", keep=True)
        self.ends = False

    def work(self, copy: WorkCopy, left: Iterator[Mutant], count: int) -> None:
        """Try mutants that no other thread has taken, until one of them ends."""
        while not self.ends:
            with self.lock:
                mutant = next(left, None) if self.number < count else None
            if mutant is None:
                return
            try:
                verdict, by = self.verdict(copy, mutant)
            except BaseException:
                self.ends = True
                raise
            with self.lock:
                self.count(mutant, verdict, by, count)

    def count(self, mutant: Mutant, verdict: str, by: str, count: int) -> None:
        """Count a verdict, and show it. Off a terminal, each has its line."""
        self.verdicts[verdict] += 1
        self.number += bool(mutant.tests) or verdict != UNBUILDABLE
        must_die = bool(mutant.tests)
        survives = verdict in (SURVIVED, UNFIT) or (must_die and verdict != KILLED)
        if survives:
            self.survivors.append(mutant)
        said = f"{verdict} by {by}" if by else verdict
        text = f"[{self.number}/{count}] {said}: {mutant}"
        keep = survives or not sys.stdout.isatty()
        show(text if keep else text[:100], keep=keep)

    def summary(self) -> str:
        """Count each verdict."""
        order = (KILLED, SURVIVED, EQUIVALENT, SAME, UNBUILDABLE, UNFIT)
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
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes"
    )
    return parser.parse_args(arguments)


def try_all(chosen: argparse.Namespace, run: Run, root: Path) -> None:
    """Try the permanent mutants, then the sample."""
    listed = mutants.listed(root, mutants.PERMANENT.read_text("utf-8"))
    for mutant in listed:
        run.memory.key(mutant)
    for copy in run.copies:
        copy.sync()
        copy.configure()
    if not chosen.skip_permanent:
        run.over("permanent", sorted(listed, key=order), len(listed))
        if not run.survivors:
            run.memory.forget(listed)
    if chosen.sample:
        names = [str(path) for path in tracked.files(root, ".c", ".py")]
        paths = [
            name
            for name in names
            if any(fnmatch.fnmatch(name, pattern) for pattern in chosen.files)
        ]
        every = mutants.shuffled(root, paths, chosen.seed)
        run.over("sample", every, chosen.sample)


def copies(root: Path, place: Path, count: int) -> list[WorkCopy]:
    """Make copies of the tree, which know together how long tests take."""
    made = [WorkCopy(root, place / f"tree{number or ''}") for number in range(count)]
    for copy in made:
        copy.durations = made[0].durations
    return made


def main(arguments: Sequence[str] | None = None, root: Path = tracked.ROOT) -> int:
    """Try the mutants; return the exit status."""
    chosen = parse(arguments)
    os.nice(10)
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.default_int_handler)
    place = root / "build" / "mutate"
    place.mkdir(parents=True, exist_ok=True)
    try:
        run = Run(copies(root, place, chosen.jobs), Memory(root, place / "verdicts"))
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
