"""Compares what objects of libraries claim of native memory with what malloc gets back.

Each line of release/claims.txt keeps an object of a library. Its claim is what it
retains in a snapshot with native memory; the truth is what the allocators get back when
the program lets go of it (claims_probe.py). Each object has a process of its own first.
Then one process keeps all objects, in several orders: there, each has what the others
have left behind around it.
"""

from __future__ import annotations

import json
import random
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matrix
import package_environment
import probes
import pythons
import tracked
from package_environment import Package

LIST = tracked.ROOT / "release/claims.txt"
PROBES = [tracked.ROOT / f"release/{name}_probe.py" for name in ("claims", "package")]
TABLE = re.compile(r"(?<=<!-- claims -->\n).*?(?=<!-- end -->)", re.DOTALL)

#: A claim is right if it differs by at most this share from what malloc gets back, and
#: so many of all must be right.
DIFFERENCE, RIGHT = 0.12, 0.9
MIB = 1 << 20
ORDERS = {"0": "in order", "1": "reversed"}


@dataclass(frozen=True)
class Claim:
    """A line of the list: what pip installs, the code, and what that keeps."""

    package: Package
    what: str

    @property
    def name(self) -> str:
        """What tells it from all others."""
        return f"{self.package.name}: {self.what}"

    @property
    def file(self) -> str:
        """The name of its files."""
        return re.sub(r"\W+", "-", self.name)


def listed(text: str) -> list[Claim]:
    """Read the list, in its order."""
    lines = [line for line in text.splitlines() if line and line[0] != "#"]
    return [
        Claim(Package(tuple(names.split("+")), code), what)
        for names, what, code in (line.split(" | ", 2) for line in lines)
    ]


def ordered(claims: list[Claim], order: int) -> list[Claim]:
    """As they stand, from the last to the first, or as a generator shuffles them."""
    if order < 2:
        return claims[:: -1 if order else 1]
    return random.Random(order).sample(claims, len(claims))


@dataclass(frozen=True)
class Run:
    """Measures with one interpreter."""

    folder: Path
    python: Path
    sources: str

    def measure(self, file: str, claims: list[Claim]) -> None:
        """Keep these objects in one process, in this order."""
        codes = json.dumps([(claim.name, claim.package.code) for claim in claims])

        def measured() -> dict[str, Any]:
            command: list[str | Path] = [self.python, PROBES[0]]
            return probes.answer(self.folder, command, file, codes)

        texts = [path.read_text(encoding="utf-8") for path in PROBES]
        text = "".join([*texts, codes, self.sources])
        probes.measured(self.folder / f"claims/{file}.json", text, measured)

    def alone(self, claim: Claim) -> None:
        """Keep an object in a process of its own."""
        self.measure(claim.file, [claim])


def measure_all(run: Run, claims: list[Claim], jobs: int, orders: int) -> list[Claim]:
    """Keep each object alone, and then all that can be kept, in so many orders.

    Returns those that can.
    """
    python = run.folder.name

    def work(item: tuple[int, Claim]) -> None:
        probes.say(python, item[0], len(claims), item[1].name)
        run.alone(item[1])

    with ThreadPoolExecutor(max_workers=jobs) as pool:
        list(pool.map(work, enumerate(claims, 1)))
    good = [c for c in claims if "error" not in result(run.folder, c.file)]
    for order in range(orders):
        probes.say(python, order + 1, orders, f"all {len(good)} in one process")
        run.measure(f"order-{order}", ordered(good, order))
    return good


def try_all(
    one: pythons.Interpreter, claims: list[Claim], jobs: int, orders: int
) -> None:
    """Install and measure with one interpreter."""
    folder, python = package_environment.prepared(one)
    fit = [
        claim
        for claim in claims
        if not package_environment.installed(folder, python, claim.package)
    ]
    measure_all(Run(folder, python, matrix.sources()), fit, jobs, orders)


def result(folder: Path, file: str) -> dict[str, Any]:
    """Read what was measured; "error" if nothing was."""
    path = folder / f"claims/{file}.json"
    if not path.exists():
        return {"error": "not measured"}
    report: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return report


def is_right(claimed: int, returned: int) -> bool:
    """Whether a claim is what malloc gets back."""
    return abs(claimed - returned) <= DIFFERENCE * returned


def cell(pair: list[int] | None) -> str:
    """Say which share of what malloc gets back is claimed; a wrong one in bold."""
    if pair is None:
        return ""
    claimed, returned = pair
    share = f"{100 * claimed / max(returned, 1):.0f} %"
    return share if is_right(claimed, returned) else f"**{share}**"


def row(claim: Claim, alone: dict[str, Any], together: list[dict[str, Any]]) -> str:
    """Make a row of the table."""
    cells = [claim.package.name, claim.what]
    if "error" in alone:
        cells += [alone["error"].replace("|", "\\|"), *[""] * (1 + len(together))]
        return "| " + " | ".join(cells) + " |"
    pair = alone["claims"][claim.name]
    cells += [f"{pair[1] / MIB:.2f} MiB", cell(pair)]
    cells += [cell(report["claims"].get(claim.name)) for report in together]
    return "| " + " | ".join(cells) + " |"


def beyond(report: dict[str, Any]) -> float:
    """The most that an object claims beyond its own, as a share of the process."""
    most = max(claimed - returned for claimed, returned in report["claims"].values())
    return max(0.0, float(most) / float(report["whole"]))


def head(together: int) -> str:
    """Make the head of the table."""
    orders = [ORDERS.get(str(i), f"shuffled {i - 1}") for i in range(together)]
    cells = ["library", "what is kept", "malloc gets back", "claimed", *orders]
    return f"| {' | '.join(cells)} |\n| --- | --- |{' ---: |' * (len(cells) - 2)}\n"


def section(folder: Path, claims: list[Claim]) -> tuple[str, bool]:
    """Make the table of an interpreter, and say whether too many claims are wrong."""
    alone = {claim: result(folder, claim.file) for claim in claims}
    known = {
        claim: report
        for claim, report in alone.items()
        if report.get("error") != "not measured"
    }
    if not known:
        return "", False
    reports = [report for report in known.values() if "error" not in report]
    orders = [result(folder, f"order-{i}") for i in range(len(claims))]
    together = [report for report in orders if "error" not in report]
    right = [sum(is_right(*pair) for r in reports for pair in r["claims"].values())]
    right += [sum(is_right(*pair) for pair in r["claims"].values()) for r in together]
    most = max(map(beyond, together), default=0.0)
    sums = f"Of {len(known)} objects, {right[0]} are right alone"
    if together:
        sums += (
            f", and {', '.join(map(str, right[1:]))} in one process with all others. "
            f"Beyond its own memory, none claims more than {100 * most:.1f} % of that "
            "process"
        )
    body = "\n".join(row(claim, report, together) for claim, report in known.items())
    text = f"\n### CPython {folder.name}\n\n{sums}.\n\n{head(len(together))}{body}\n"
    return text, min(right) < RIGHT * len(known)


def written(page: str, folders: list[Path], claims: list[Claim]) -> tuple[str, bool]:
    """Put the tables into a page, and say whether too many claims are wrong."""
    sections = [section(folder, claims) for folder in folders]
    text = "".join(text for text, _ in sections) + "\n"
    return TABLE.sub(lambda _: text, page), any(bad for _, bad in sections)
