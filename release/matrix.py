"""Builds and tests on every CPython that it finds, and records the results.

    make matrix
    make matrix MATRIX="--python PATH ..."      more interpreters
    make matrix MATRIX="--free-threaded"        also builds without the GIL
    make matrix MATRIX="--tsan"                 also the stress under ThreadSanitizer
    make matrix MATRIX="--suite sid"            only this release; --suite none: none
    make matrix MATRIX="--only 3.14"            only these versions

Interpreters come from PATH, pyenv, --python and MATRIX_PYTHONS (paths, separated by
colons). Newer ones come from roots of Debian's releases, which need root and
debootstrap (release/matrix.sh); tools/free_threaded.sh builds free-threaded ones there
from Debian's source packages. Every run has a folder in build/matrix, and is repeated
only when a source changes, so an interrupted matrix continues where it stopped.

Each run replaces the row of the same interpreter in the table of docs/versions.md, or
adds one; other rows stay unchanged. The exit status is 1 if a build or a test failed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import pythons
import suite
import summary
import tracked

PAGE = tracked.ROOT / "docs/versions.md"
RUNS = tracked.ROOT / "build/matrix"
UNEXPLAINED = tracked.ROOT / "tests/py/isolated/unexplained.py"
SUITES = ["trixie", "sid"]
#: What tools/free_threaded.sh builds: a release may have more than its own Python.
FREE_THREADED = {"sid": ("t", "3.15t")}
FOLDERS = ("cmake", "export", "libgraph", "pyext", "tests/py")
HEAD = """\
| CPython | on | captured by | passed | failed | skipped | unexplained | with numpy, \
matplotlib | igraph | Graphviz | date |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""
TABLE = re.compile(r"(?<=<!-- matrix -->\n).*?(?=<!-- end -->)", re.DOTALL)


@dataclass
class Row:
    """The result of one interpreter, which is a row of the table."""

    cpython: str
    place: str
    method: str
    passed: int
    failed: int
    skipped: int
    unexplained: str
    with_figures: str
    igraph: str
    graphviz: str
    date: str

    def line(self) -> str:
        """Write the row in Markdown."""
        return "| " + " | ".join(str(cell) for cell in asdict(self).values()) + " |"


def sources() -> str:
    """Compute a checksum of everything that a run builds and tests.

    In a root, where there is no git, MATRIX_SOURCES contains it.
    """
    known = os.environ.get("MATRIX_SOURCES")
    if known:
        return known
    total = hashlib.sha256()
    for path in tracked.files(tracked.ROOT):
        if str(path).startswith(FOLDERS) or path.name == "CMakeLists.txt":
            total.update(f"{path}\0".encode() + (tracked.ROOT / path).read_bytes())
    return total.hexdigest()


def release(package: str) -> str:
    """Find the version of a C library on this machine."""
    done = subprocess.run(
        ["pkg-config", "--modversion", package], capture_output=True, text=True
    )
    return done.stdout.strip() or "none"


def can_import(python: str | Path, *modules: str) -> bool:
    """Whether an interpreter can import these modules."""
    command = [str(python), "-c", f"import {', '.join(modules)}"]
    return subprocess.run(command, capture_output=True).returncode == 0


def unexplained(python: str | Path, folder: Path, process: str) -> tuple[str, str]:
    """Find the method of capture, and the share of unexplained nodes in a process."""
    done = subprocess.run(
        [str(python), str(UNEXPLAINED), process],
        env=pythons.settings(folder),
        capture_output=True,
        text=True,
    )
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        return "fails", "fails"
    figures = json.loads(done.stdout)
    if figures["method"] != "internal":
        return "public calls", "-"
    return "internals", f"{figures['share'] * 100:.2f} %"


def row_of(one: pythons.Interpreter, place: str, python: str | Path, run: Path) -> Row:
    """Build, test and measure."""
    build = run / "build"
    pythons.build(build, python)
    runs = pythons.runs_of("", python, build)
    wrong = suite.run_all(runs)
    cases = summary.summed_up([str(one.junit) for one in runs])
    method, share = unexplained(python, build, "library")
    figures = "-"
    if can_import(python, "numpy", "matplotlib"):
        figures = unexplained(python, build, "figures")[1]
    if method == "internals" and one.free_threaded:
        method = "internals, threads stopped"
    return Row(
        cpython=one.name.replace("t", " free-threaded"),
        place=place,
        method=method,
        passed=cases.passed,
        failed=max(len(cases.failed), len(wrong)),
        skipped=cases.skipped,
        unexplained=share,
        with_figures=figures,
        igraph=release("igraph"),
        graphviz=release("libgvc"),
        date=time.strftime("%Y-%m-%d"),
    )


def tried(one: pythons.Interpreter, place: str) -> Row | None:
    """Make the row of an interpreter, or None after a message if the build fails.

    This returns the old row if it has no failure and no source has changed since.
    """
    run = RUNS / f"{place.replace(' ', '-')}-{one.name}"
    result, now = run / "row.json", {"sources": sources(), "path": one.path}
    if result.exists():
        kept = json.loads(result.read_text(encoding="utf-8"))
        if kept["run"] == now and not kept["row"]["failed"]:
            print(f"== CPython {one.name}, {place}: as before", flush=True)
            return Row(**kept["row"])
    print(f"== CPython {one.name}, {place}", flush=True)
    run.mkdir(parents=True, exist_ok=True)
    python: str | Path = one.path
    try:
        if not can_import(python, "pytest", "numpy"):
            python = pythons.environment(run / "venv", one.path)
        row = row_of(one, place, python, run)
    except subprocess.CalledProcessError as error:
        print(f"== CPython {one.name}, {place}: {error}", flush=True)
        return None
    result.write_text(json.dumps({"run": now, "row": asdict(row)}), encoding="utf-8")
    return row


def in_root(suite: str, *command: str) -> bool:
    """Run a command in the root of a release; return whether it succeeded."""
    done = subprocess.run(
        ["release/matrix.sh", suite, *command],
        env=os.environ | {"MATRIX_SOURCES": sources()},
    )
    return done.returncode == 0


def tried_in_root(suite: str, free_threaded: bool) -> tuple[list[Row], bool]:
    """Return the rows of a release, and whether every run was possible."""
    answer = RUNS / f"{suite}.json"
    answer.unlink(missing_ok=True)
    whole = True
    for name in FREE_THREADED.get(suite, ("t",)) if free_threaded else ():
        whole &= in_root(suite, "tools/free_threaded.sh", name)
    command = ("env", "PYTHONPATH=tools", "python3", "release/matrix.py")
    whole &= in_root(suite, *command, "--inside", suite)
    if not answer.exists():
        return [], False
    rows = json.loads(answer.read_text(encoding="utf-8"))
    return [Row(**row) for row in rows], whole


def inside(suite: str) -> int:
    """Run all interpreters of the root, from inside it; write the rows to a file."""
    built = sorted(map(str, Path("/opt/cpython").glob("*t/bin/python3")))
    found = pythons.installed("/usr/bin/python3", *built)
    rows = [tried(one, f"Debian {suite}") for one in found]
    made = [asdict(row) for row in rows if row]
    (RUNS / f"{suite}.json").write_text(json.dumps(made), encoding="utf-8")
    return len(made) < len(rows)


def sanitized() -> bool:
    """Run the stress test under ThreadSanitizer, in sid's root."""
    name = "t-tsan"
    return in_root(
        "sid", "tools/free_threaded.sh", name, "--with-thread-sanitizer"
    ) and in_root("sid", "python3", "tools/tsan.py", f"/opt/cpython/{name}/bin/python3")


def key(line: str) -> tuple[tuple[int, ...], str]:
    """Return the identity and the order of a row: version, kind of build, place."""
    cells = [cell.strip() for cell in line.split("|")[1:3]]
    numbers = cells[0].split()[0].split(".")
    return tuple(map(int, numbers)), " ".join(cells)


def merged(text: str, rows: list[Row]) -> str:
    """Return the page with these rows instead of those of the same interpreters."""
    found = TABLE.search(text)
    if found is None:
        raise SystemExit(f"{PAGE} has no <!-- matrix --> ... <!-- end -->")
    lines = {key(line): line for line in found[0].splitlines()[2:]}
    lines |= {key(row.line()): row.line() for row in rows}
    table = "\n".join(sorted(lines.values(), key=key))
    return text[: found.start()] + HEAD + table + "\n" + text[found.end() :]


def arguments() -> argparse.Namespace:
    """Parse the arguments of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--python", action="append", default=[], metavar="PATH")
    parser.add_argument("--suite", action="append", metavar="NAME")
    parser.add_argument("--only", action="append", metavar="VERSION")
    parser.add_argument("--free-threaded", action="store_true")
    parser.add_argument("--tsan", action="store_true")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    return parser.parse_args()


def here() -> str:
    """Name the operating system of this machine, such as "Debian bookworm"."""
    text = Path("/etc/os-release").read_text(encoding="utf-8")
    fields = dict(re.findall(r'^(\w+)="?([^"\n]*)', text, re.MULTILINE))
    name = fields.get("VERSION_CODENAME") or fields.get("VERSION_ID", "")
    return f"{fields['NAME'].split()[0]} {name}"


def wanted(one: pythons.Interpreter, only: list[str] | None) -> bool:
    """Whether a version is among the requested ones: 3.14 includes 3.14.7."""
    return not only or any(f"{one.name}.".startswith(f"{name}.") for name in only)


def note(rows: list[Row]) -> list[Row]:
    """Put rows into the page as soon as they exist."""
    PAGE.write_text(merged(PAGE.read_text(encoding="utf-8"), rows), encoding="utf-8")
    return rows


def all_rows(asked: argparse.Namespace) -> tuple[list[Row], list[str]]:
    """Run everything; return the rows, and the runs that were not possible."""
    named = os.environ.get("MATRIX_PYTHONS", "").split(":")
    rows: list[Row] = []
    wrong = []
    for one in pythons.installed(sys.executable, *asked.python, *filter(None, named)):
        if wanted(one, asked.only):
            row = tried(one, here())
            rows += note([row] if row else [])
            wrong += [] if row else [f"CPython {one.name}"]
    for debian in asked.suite or SUITES:
        if debian != "none":
            made, whole = tried_in_root(debian, asked.free_threaded)
            rows += note(made)
            wrong += [] if whole else [f"Debian {debian}"]
    if asked.tsan and not sanitized():
        wrong.append("ThreadSanitizer")
    return rows, wrong


def main() -> int:
    """Run all interpreters, one after the other, and write the table."""
    asked = arguments()
    os.chdir(tracked.ROOT)
    # A shell makes background jobs ignore Ctrl-C, and the tests would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.setpriority(os.PRIO_PROCESS, 0, max(10, os.getpriority(os.PRIO_PROCESS, 0)))
    RUNS.mkdir(parents=True, exist_ok=True)
    if asked.inside:
        return inside(asked.inside)
    rows, wrong = all_rows(asked)
    print(HEAD + "\n".join(row.line() for row in rows))
    wrong += [f"{row.cpython} on {row.place}" for row in rows if row.failed]
    print(f"matrix: {len(rows)} interpreters; failed: {', '.join(wrong) or 'none'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
