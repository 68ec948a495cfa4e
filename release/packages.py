"""Tries leakgraph on the most used packages with compiled modules.

    python release/packages.py [--only NAME] [--python PATH] [--jobs N] [--table]

Installs what release/packages.txt lists into one environment for each Python, below
build/packages. Then runs release/package_probe.py for each package in a process of its
own: it uses the package, captures, compares the process before and after, and asks all
questions. An interrupted run continues where it stopped: it repeats a measurement only
after a source or the package's line changes. It writes the tables of docs/packages.md
from all measurements; --table does only that.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import matrix
import package_environment
import pythons
import tracked
from package_environment import RUNS, Package

PAGE = tracked.ROOT / "docs/packages.md"
PROBE = tracked.ROOT / "release/package_probe.py"

#: Processor seconds that a probe may use, however busy the machine is.
WORK = 600
#: A probe hangs if for so long it neither works nor waits for a processor, apart from
#: less than a second.
STILL = 300
#: The longest that a probe may take in any case.
PATIENCE = 3 * 3600
POLL = 2
TABLE = re.compile(r"(?<=<!-- packages -->\n).*?(?=<!-- end -->)", re.DOTALL)
HEAD = (
    "| package | version | nodes | edges | own | found | allocated | unexplained "
    "| seen | remarks |\n" + "| --- | --- |" + " ---: |" * 6 + " --- | --- |\n"
)

#: A package with at most the first share of unexplained bytes is seen fully, and with
#: at most the second in part.
FULLY, IN_PART = 0.20, 0.60
#: A share of fewer allocated bytes would say nothing.
LITTLE = 1 << 18
NOT_INSTALLED = "not installed"

# ------------------------------------------------------------------ one run ---


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


def probed(folder: Path, python: Path, package: Package) -> dict[str, Any]:
    """Return what a package's probe says; "error" if it has no answer."""
    answer = folder / f"answers/{package.name}.json"
    answer.unlink(missing_ok=True)
    work = folder / "work"
    work.mkdir(exist_ok=True)
    options = ["-W", "ignore", "-X", "faulthandler"]
    process = subprocess.Popen(
        [str(python), *options, str(PROBE), package.name, str(answer)],
        env=pythons.settings(folder / "leakgraph") | {"PYTHONMALLOC": "malloc"},
        cwd=work,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )
    try:
        done = watched(process, package.code)
    except TimeoutError as error:
        return {"error": str(error)}
    log = folder / f"answers/{package.name}.log"
    log.write_text(done.stdout + done.stderr, encoding="utf-8")
    if done.returncode or not answer.exists():
        return {"error": fate(done)}
    report: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
    return report


def measured(folder: Path, python: Path, package: Package, sources: str) -> None:
    """Probe a package, unless that was done before; keep the result."""
    kept = folder / f"results/{package.name}.json"
    text = PROBE.read_text(encoding="utf-8") + package.code + sources
    key = hashlib.sha256(text.encode()).hexdigest()
    if kept.exists() and json.loads(kept.read_text(encoding="utf-8"))["key"] == key:
        return
    start = time.monotonic()
    report = probed(folder, python, package)
    report |= {"key": key, "seconds": round(time.monotonic() - start)}
    kept.parent.mkdir(exist_ok=True)
    kept.write_text(json.dumps(report), encoding="utf-8")


def prepared(one: pythons.Interpreter) -> tuple[Path, Path]:
    """Build leakgraph; return an interpreter's folder of results and environment."""
    folder = RUNS / one.name
    (folder / "answers").mkdir(parents=True, exist_ok=True)
    python = package_environment.environment(folder, one.path)
    pythons.build(folder / "leakgraph", python)
    return folder, python


def say(one: pythons.Interpreter, at: int, of: int, package: Package) -> None:
    """Print a line of progress."""
    print(f"CPython {one.name}: {at} of {of}, {package.name}", flush=True)


def try_all(one: pythons.Interpreter, packages: list[Package], jobs: int) -> None:
    """Install and probe all packages with one interpreter."""
    folder, python = prepared(one)
    sources = matrix.sources()
    fit = []
    for at, package in enumerate(packages, 1):
        if package_environment.installed(folder, python, package):
            continue
        fit.append((at, package))

    def work(item: tuple[int, Package]) -> None:
        say(one, item[0], len(packages), item[1])
        measured(folder, python, item[1], sources)

    with ThreadPoolExecutor(max_workers=jobs) as pool:
        list(pool.map(work, fit))


# -------------------------------------------------------------------- table ---


def share(report: dict[str, Any]) -> float | None:
    """Compute the share of unexplained bytes, if enough was allocated."""
    if report["spent"] < LITTLE:
        return None
    return max(0.0, 1 - float(report["seen"]) / float(report["spent"]))


def verdict(report: dict[str, Any]) -> str:
    """Say how much of a package is seen."""
    unexplained = share(report) or 0.0
    if unexplained > IN_PART:
        return "little"
    found = report["explained"] >= 0.99 * report["own"]
    return "fully" if found and unexplained <= FULLY else "in part"


def is_wrong(report: dict[str, Any]) -> bool:
    """Whether leakgraph did something that it must not do."""
    error = report.get("error", NOT_INSTALLED)
    return bool(report.get("wrong")) or not error.startswith(NOT_INSTALLED)


def remarks(report: dict[str, Any]) -> str:
    """Say what was wrong, and what leakgraph itself says that it did not inspect."""
    found = [*report["wrong"], *report["noted"]]
    if not report["compiled"]:
        found.append("this release has no compiled module")
    return "; ".join(found).replace("|", "\\|")


def line(name: str, report: dict[str, Any]) -> str:
    """Make a row of the table."""
    if "error" in report:
        error = report["error"].split(" (required by /")[0]
        cells = [name, report.get("version", "")] + [""] * 7 + [error]
        return "| " + " | ".join(cells) + " |"
    unexplained = share(report)
    cells = [
        name,
        report["version"],
        f"{report['nodes']:,}",
        f"{report['edges']:,}",
        f"{report['own']:,}",
        f"{report['explained']:,}",
        f"{max(0, report['spent']) / (1 << 20):.1f} MiB",
        "" if unexplained is None else f"{unexplained * 100:.0f} %",
        verdict(report),
        remarks(report),
    ]
    return "| " + " | ".join(cells) + " |"


def results(folder: Path, packages: list[Package]) -> Iterator[tuple[str, Any]]:
    """Yield what is known of each package with one interpreter."""
    for package in packages:
        why_not = folder / f"installed/{package.name}.txt"
        kept = folder / f"results/{package.name}.json"
        if kept.exists():
            yield package.name, json.loads(kept.read_text(encoding="utf-8"))
        elif why_not.exists() and why_not.read_text(encoding="utf-8"):
            text = why_not.read_text(encoding="utf-8")
            yield package.name, {"error": f"{NOT_INSTALLED}: {text}"}


def section(folder: Path, packages: list[Package]) -> str:
    """Make the table of an interpreter, with a heading and a sentence of sums."""
    rows = list(results(folder, packages))
    if not rows:
        return ""
    good = [report for _, report in rows if "error" not in report]
    seen = [verdict(report) for report in good]
    wrong = sum(bool(report["wrong"]) for report in good)
    sums = (
        f"Of {len(rows)} packages, {len(good)} were captured; "
        f"{seen.count('fully')} are seen fully, {seen.count('in part')} in part, "
        f"{seen.count('little')} little. "
    )
    sums += f"Something was wrong with {wrong}." if wrong else "Nothing went wrong."
    if len(rows) < len(packages):
        sums += f" The other {len(packages) - len(rows)} had no turn in this run."
    body = "\n".join(line(name, report) for name, report in rows)
    return f"\n## CPython {folder.name}\n\n{sums}\n\n{HEAD}{body}\n"


def write_page(packages: list[Package]) -> None:
    """Put the tables of all tried interpreters into the page."""
    text = PAGE.read_text(encoding="utf-8")
    folders = [path for path in RUNS.iterdir() if (path / "results").is_dir()]
    tables = "".join(
        section(folder, packages) for folder in sorted(folders, key=version_of)
    )
    PAGE.write_text(TABLE.sub(lambda _: tables + "\n", text), encoding="utf-8")


def version_of(folder: Path) -> list[int]:
    """The key that orders folders."""
    return [int(part) for part in re.findall(r"\d+", folder.name)]


# --------------------------------------------------------------------- main ---


def arguments() -> argparse.Namespace:
    """Parse the arguments."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", action="append", metavar="NAME")
    parser.add_argument("--python", action="append", metavar="PATH")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--table", action="store_true")
    return parser.parse_args()


def two() -> list[str]:
    """List our own Python and the newest other one with the GIL."""
    others = pythons.interpreters()
    return [sys.executable, *([others[max(others)]] if others else [])]


def main() -> int:
    """Try all packages and write the page; return 1 if something was wrong."""
    asked = arguments()
    os.chdir(tracked.ROOT)
    os.setpriority(os.PRIO_PROCESS, 0, max(10, os.getpriority(os.PRIO_PROCESS, 0)))
    packages = package_environment.listed(
        package_environment.LIST.read_text(encoding="utf-8")
    )
    chosen = [one for one in packages if not asked.only or one.name in asked.only]
    paths = [] if asked.table else asked.python or two()
    for one in filter(None, map(pythons.probe, paths)):
        try_all(one, chosen, asked.jobs)
        write_page(packages)
    write_page(packages)
    bad = [
        f"{name} on {folder.name}"
        for folder in sorted(RUNS.glob("*"))
        for name, report in results(folder, chosen)
        if is_wrong(report)
    ]
    print(f"packages: {len(chosen)}; wrong: {', '.join(bad) or 'none'}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
