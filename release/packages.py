"""Tries leakgraph on the most used packages with compiled modules.

    python release/packages.py [--only NAME] [--python PATH] [--jobs N] [--table]
    python release/packages.py --claims [--orders N]

Installs what release/packages.txt lists into one environment for each Python, below
build/packages. Then runs release/package_probe.py for each package in a process of its
own: it uses the package, captures, compares the process before and after, and asks all
questions. An interrupted run continues where it stopped: it repeats a measurement only
after a source or the package's line changes. It writes the tables of docs/packages.md
from all measurements; --table does only that.

Then it compares what objects of libraries claim of native memory with what malloc gets
back (claims.py). --claims does only that, --orders says in how many orders one process
keeps all objects.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import claims
import matrix
import package_environment
import probes
import pythons
import tracked
from package_environment import RUNS, Package

PAGE = tracked.ROOT / "docs/packages.md"
PROBE = tracked.ROOT / "release/package_probe.py"
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


def measured(folder: Path, python: Path, package: Package, sources: str) -> None:
    """Probe a package, unless that was done before; keep the result."""

    def probed() -> dict[str, Any]:
        command: list[str | Path] = [python, PROBE, package.name]
        return probes.answer(
            folder, command, package.name, package.code, PYTHONMALLOC="malloc"
        )

    text = PROBE.read_text(encoding="utf-8") + package.code + sources
    probes.measured(folder / f"results/{package.name}.json", text, probed)


def try_all(one: pythons.Interpreter, packages: list[Package], jobs: int) -> None:
    """Install and probe all packages with one interpreter."""
    folder, python = package_environment.prepared(one)
    sources = matrix.sources()
    fit = []
    for at, package in enumerate(packages, 1):
        if package_environment.installed(folder, python, package):
            continue
        fit.append((at, package))

    def work(item: tuple[int, Package]) -> None:
        probes.say(one.name, item[0], len(packages), item[1].name)
        measured(folder, python, item[1], sources)

    with ThreadPoolExecutor(max_workers=jobs) as pool:
        list(pool.map(work, fit))


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


def arguments() -> argparse.Namespace:
    """Parse the arguments."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", action="append", metavar="NAME")
    parser.add_argument("--python", action="append", metavar="PATH")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--claims", action="store_true")
    parser.add_argument("--orders", type=int, default=4)
    return parser.parse_args()


def two() -> list[str]:
    """List our own Python and the newest other one with the GIL."""
    others = pythons.interpreters()
    return [sys.executable, *([others[max(others)]] if others else [])]


def try_packages(asked: argparse.Namespace) -> bool:
    """Try the packages and write their tables; return whether something was wrong."""
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
    return bool(bad)


def try_claims(asked: argparse.Namespace) -> bool:
    """Compare claims and write their table; return whether too many are wrong."""
    listed = claims.listed(claims.LIST.read_text(encoding="utf-8"))
    chosen = [one for one in listed if not asked.only or one.package.name in asked.only]
    paths = [] if asked.table else asked.python or [sys.executable]
    for one in filter(None, map(pythons.probe, paths)):
        claims.try_all(one, chosen, asked.jobs, asked.orders)
    page = PAGE.read_text(encoding="utf-8")
    folders = sorted(RUNS.glob("*"), key=version_of)
    page, too_many = claims.written(page, folders, listed)
    PAGE.write_text(page, encoding="utf-8")
    return too_many


def main() -> int:
    """Try all packages and write the page; return 1 if something was wrong."""
    asked = arguments()
    os.chdir(tracked.ROOT)
    os.setpriority(os.PRIO_PROCESS, 0, max(10, os.getpriority(os.PRIO_PROCESS, 0)))
    bad = not asked.claims and try_packages(asked)
    if asked.claims or not asked.only:
        bad = try_claims(asked) or bad
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
