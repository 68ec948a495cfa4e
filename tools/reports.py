"""Looks for the leaks of public reports as their users would; writes docs/reports.md.

    python tools/reports.py [--only NAME ...] [--faces repeat findings watch attach]
                            [--seconds 14] [--jobs 2] [--go-on] [--judged]
                            [--write]

Each program of tests/reports/leaks has the mechanism of a public report. Accounts
that know nothing of leakgraph measure what a call leaves behind, and that letting go of
the holder frees it. Then `repeat()`, `findings()`, `leakgraph watch` and
`leakgraph attach --diff` look at the program, at its fixed form, and at the honest
programs of tests/reports/honest. build/reports keeps what each of them printed, and
what was judged: with --go-on, a run that was cut off goes on where it was, and
--judged only makes the table of what earlier runs have judged.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import subprocess
import sys
from bisect import bisect
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import tracked

HOME = tracked.ROOT / "tests/reports"
sys.path.append(str(HOME))

from program import CALLS  # noqa: E402

KEPT = tracked.ROOT / "build/reports"
PAGE = tracked.ROOT / "docs/reports.md"
TABLE = re.compile(r"(?<=<!-- reports -->\n).*?(?=<!-- end -->)", re.DOTALL)

#: A rate of repeat() is right within this share of what letting go frees.
CLOSE = 0.10
#: Which calls a snapshot of a running loop still shows is known less well.
CLOSE_IN_TIME = 0.20
#: Rows of less than this share of the first do not count as rows of their own.
SMALL = 0.05
#: A program lets go of all that it gained, but for what allocators keep.
FREED = 0.95
#: A fixed form leaves at most so many bytes in each call, or a small share of the leak.
LEFT = 32
#: How often attach takes a snapshot, in seconds, and how many. The distance is no
#: multiple of the time in which an honest program fills what it empties: a row would
#: then depend on where in that time the first snapshot falls.
EVERY, SNAPSHOTS = 3, 4
#: No face may take longer, in seconds. With tracemalloc, a call costs three times as
#: much, and on a busy machine it waits for twenty times as long as it works.
PATIENCE = 1800

#: The cells of a face that has nothing to say about a program, and of one that was not
#: run.
UNASKED, UNRUN = "-", "not run"

UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
#: How watch reports a place, on stderr and in its last report.
TOLD = re.compile(
    r"^(?:leakgraph: )?(?P<holder>[^\n]+?): (?P<what>(?:[^\n:]|:(?! ))+?)"
    r"(?: accumulates| grows in place| grows| piles up|: )[^\n]*?"
    r"\+(?P<gained>[\d.,]+ (?:B|KiB|MiB|GiB)) in all, "
    r"\+(?P<rate>[\d.,]+ (?:B|KiB|MiB|GiB)) per second",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Program:
    """A program of the corpus, as its file describes it."""

    path: Path
    what: str
    reference: str
    holders: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    native: bool = False

    @property
    def leaks(self) -> bool:
        """Tell the programs of reports from honest ones."""
        return self.path.parent.name == "leaks"


@dataclass(frozen=True)
class Row:
    """A row that a face printed: its holders, and the bytes that a call adds."""

    holders: tuple[str, ...]
    per_call: float


@dataclass
class Told:
    """What one face said about one form of a program."""

    rows: list[Row] = field(default_factory=list)
    patterns: list[str] = field(default_factory=list)


def program_of(path: Path) -> Program:
    """Read what a program's file says of it, without running it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    what, _, reference = (ast.get_docstring(tree) or "").partition("\n")
    constants = {
        statement.targets[0].id: ast.literal_eval(statement.value)
        for statement in tree.body
        if isinstance(statement, ast.Assign)
        and isinstance(statement.targets[0], ast.Name)
        and statement.targets[0].id in {"HOLDERS", "FINDINGS", "NATIVE"}
    }
    return Program(
        path,
        what.strip(),
        reference.strip(),
        constants.get("HOLDERS", ()),
        constants.get("FINDINGS", ()),
        constants.get("NATIVE", False),
    )


def programs(only: Iterable[str] = ()) -> list[Program]:
    """List all programs, or those with these names."""
    chosen = set(only)
    paths = [*sorted(HOME.glob("leaks/*.py")), *sorted(HOME.glob("honest/*.py"))]
    return [program_of(path) for path in paths if not chosen or path.stem in chosen]


class Failed(Exception):
    """A program, or a face that looked at it, ended with an error."""


def environment() -> dict[str, str]:
    """Let the program find its runner."""
    found = dict(os.environ)
    found["PYTHONPATH"] = os.pathsep.join([str(HOME), found.get("PYTHONPATH", "")])
    return found


def command(program: Program, form: str, *mode: str) -> list[str]:
    """Say how to run a form of a program in one mode."""
    extra = ["malloc"] if program.native else []
    return [sys.executable, str(program.path), *mode, *extra, *([form] if form else [])]


def answer(program: Program, form: str, mode: str, *more: str) -> dict[str, Any]:
    """Run a program in a mode; return the JSON of its last line."""
    done = subprocess.run(
        command(program, form, mode, *more),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env=environment(),
    )
    keep(program, form, mode, done.stdout + done.stderr)
    if done.returncode != 0:
        raise Failed(done.stderr.strip().splitlines()[-1:] or [str(done.returncode)])
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def keep(program: Program, form: str, face: str, text: str) -> None:
    """Keep what was printed, for whoever wants to read it."""
    KEPT.mkdir(parents=True, exist_ok=True)
    name = "-".join(filter(None, [program.path.stem, form, face]))
    (KEPT / f"{name}.txt").write_text(text, encoding="utf-8")


def rows_of(growth: dict[str, Any], calls: float) -> list[Row]:
    """Convert the rows of a diff; an interval between snapshots has so many calls."""
    return [
        Row((row["held_by"], *row["other_holders"]), row["per_interval"] / calls)
        for row in growth["rows"]
        if row["verdict"] != "settled"
    ]


def gains_of(growth: dict[str, Any]) -> list[tuple[Row, float]]:
    """Return the rows of a diff, each with all that it gained."""
    gained = [row["gained"] for row in growth["rows"] if row["verdict"] != "settled"]
    return list(zip(rows_of(growth, 1), gained))


def by_repeat(program: Program, form: str, seconds: float) -> Told:
    """Ask repeat() in the program itself."""
    return Told(rows_of(answer(program, form, "repeat"), CALLS))


def by_findings(program: Program, form: str, seconds: float) -> Told:
    """Ask findings() after some calls."""
    found = answer(program, form, "findings")["findings"]
    return Told(patterns=[each["pattern"] for each in found])


def by_watch(program: Program, form: str, seconds: float) -> Told:
    """Run the program under `leakgraph watch`; read its last report."""
    run = command(program, form, "loop", str(seconds))
    done = subprocess.run(
        [run[0], "-m", "leakgraph", "watch", *run[1:]],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env=environment(),
    )
    keep(program, form, "watch", done.stdout + done.stderr)
    loop = json.loads(done.stdout.strip().splitlines()[-1])
    report = done.stderr.rpartition("Watched for")[2]
    return Told([told_row(match, loop["times"]) for match in TOLD.finditer(report)])


def bytes_of(text: str) -> float:
    """Read `1.05 MiB`."""
    number, unit = text.split()
    return float(number.replace(",", "")) * UNITS[unit]


def told_row(match: re.Match[str], times: list[float]) -> Row:
    """Convert a line of watch's report.

    A busy machine makes the loop slower for a while, so what a call adds depends on
    when watch looked: until the end, for as long as the gain takes at the rate told.
    """
    gained = bytes_of(match["gained"])
    begin = times[-1] - gained / bytes_of(match["rate"])
    holder = match["holder"].removeprefix("leakgraph: ").strip()
    return Row((holder,), gained / max(1, len(times) - bisect(times, begin)))


def by_attach(program: Program, form: str, seconds: float) -> Told:
    """Attach to the running program, and compare the snapshots that this saves."""
    folder = KEPT / "-".join(filter(None, [program.path.stem, form]))
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.lgs"):
        old.unlink()
    loop = subprocess.Popen(
        command(program, form, "loop", str(PATIENCE)),
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    try:
        assert loop.stdout is not None
        loop.stdout.readline()  # it has imported what it needs
        done = subprocess.run(
            [
                "leakgraph",
                "attach",
                str(loop.pid),
                "-o",
                str(folder / "{n}.lgs"),
                f"--diff={SNAPSHOTS}",
                f"--every={EVERY}",
            ],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
    finally:
        loop.terminate()
        end = loop.communicate(timeout=PATIENCE)[0]
    keep(program, form, "attach", done.stdout + done.stderr)
    if done.returncode != 0:
        raise Failed(done.stderr.strip())
    files = sorted(folder.glob("*.lgs"), key=lambda path: int(path.stem))
    growth = asked("diff", *files)
    # Others have no native memory, and are left out.
    compared = files[-growth["snapshots"] :]
    first, last = taken_at(compared[0]), taken_at(compared[-1])
    for old in files:
        old.unlink()
    times = json.loads(end.strip().splitlines()[-1])["times"]
    calls = bisect(times, last) - bisect(times, first)
    # Under load, snapshots are not as far apart as they should be, so rates per
    # snapshot mean little; what the calls between them gained does not depend on that.
    return Told(
        [Row(row.holders, gained / calls) for row, gained in gains_of(growth)]
        if calls
        else []
    )


def asked(verb: str, *files: Path) -> dict[str, Any]:
    """Return the JSON that the command prints about snapshots."""
    done = subprocess.run(
        ["leakgraph", verb, "--json", *map(str, files)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def taken_at(file: Path) -> float:
    """Read when a snapshot was taken, in seconds: under load, none is on time."""
    info = asked("info", file)["info"]
    time = datetime.fromisoformat(info["time"].replace("Z", "+00:00"))
    return time.timestamp() + float("0." + info["time.fraction"])


FACES: dict[str, Callable[[Program, str, float], Told]] = {
    "repeat": by_repeat,
    "findings": by_findings,
    "watch": by_watch,
    "attach": by_attach,
}


def names(program: Program, row: Row) -> bool:
    """Tell whether a row has the holder; a thread has a number that no file knows."""
    return any(
        holder == known or (known.endswith(" ") and holder.startswith(known))
        for holder in row.holders
        for known in program.holders
    )


def objections(
    program: Program, form: str, face: str, told: Told, truth: float
) -> list[str]:
    """Say what is wrong with an answer; nothing if it is right."""
    if not program.leaks or form == "fixed":
        if told.rows:
            return [f"a false row: {told.rows[0].holders[0]}"]
        return [f"a false finding: {name}" for name in told.patterns]
    if face == "findings":
        known = not program.patterns or set(told.patterns) & set(program.patterns)
        return [] if known else [f"no finding of {program.patterns[0]}"]
    if not told.rows:
        return ["no row"]
    first = told.rows[0]
    found = []
    if not names(program, first):
        found.append(f"first row: {first.holders[0]}")
    close = CLOSE if face == "repeat" else CLOSE_IN_TIME
    if abs(first.per_call - truth) > close * truth:
        found.append(f"{first.per_call:,.0f} B per call instead of {truth:,.0f}")
    more = [row for row in told.rows[1:] if row.per_call > SMALL * first.per_call]
    if more:
        found.append(f"{len(more)} more rows")
    return found


@dataclass
class Line:
    """A program's line of the table: its truth, and each face's objections."""

    program: Program
    truth: float
    faces: dict[str, list[str]]


def measured(program: Program) -> float:
    """Measure what a call leaves, and that the holder is the holder.

    Honest programs and fixed forms are measured once their caches and the free lists of
    their types are full: how fast these fill up depends on when the collector runs.
    """
    truth = answer(program, "", "truth", *([] if program.leaks else ["late"]))
    per_call = float(truth["per_call"])
    if not program.leaks and per_call > LEFT:
        raise Failed(f"{program.path.stem}: an honest program leaves {per_call:.0f} B")
    if program.leaks and truth["freed"] < FREED:
        raise Failed(f"{program.path.stem}: letting go frees {truth['freed']:.0%}")
    if program.leaks:
        fixed = float(answer(program, "fixed", "truth", "late")["per_call"])
        if fixed > max(LEFT, SMALL * per_call):
            raise Failed(f"{program.path.stem}: the fixed form leaves {fixed:.0f} B")
    return per_call


def kept_line(program: Program) -> Path:
    """Where the line of a program is kept."""
    return KEPT / f"{program.path.stem}.json"


def judged_line(program: Program) -> Line:
    """Return the line of an earlier run, or one without an answer."""
    file = kept_line(program)
    if not file.exists():
        return Line(program, 0.0, {})
    known = json.loads(file.read_text(encoding="utf-8"))
    return Line(program, known["truth"], known["faces"])


def begin_line(program: Program, go_on: bool) -> Line:
    """Measure the truth, or go on with the line of an earlier run."""
    known = judged_line(program)
    return known if go_on and known.truth else Line(program, measured(program), {})


def keep_line(line: Line) -> None:
    """Keep a line for a later run."""
    text = json.dumps({"truth": line.truth, "faces": line.faces})
    kept_line(line.program).write_text(text, encoding="utf-8")


def judge(line: Line, face: str, seconds: float) -> list[str]:
    """Ask a face about all forms of a program; say what is wrong."""
    program, said = line.program, []
    for form in ("", "fixed") if program.leaks else ("",):
        try:
            told = FACES[face](program, form, seconds)
            found = objections(program, form, face, told, line.truth)
        except (Failed, subprocess.SubprocessError, ValueError) as error:
            found = [f"failed: {error}"]
        said += [f"{form}: {each}" if form else each for each in found]
    return said


def line_of(
    program: Program, faces: Iterable[str], seconds: float, go_on: bool
) -> Line:
    """Ask all faces about all forms of a program."""
    try:
        line = begin_line(program, go_on)
    except (Failed, subprocess.SubprocessError) as error:
        return Line(program, 0.0, {face: [f"failed: {error}"] for face in faces})
    for face in faces:
        if face not in line.faces:
            line.faces[face] = judge(line, face, seconds)
            keep_line(line)
    return line


def cell(line: Line, face: str) -> str:
    """Write what a face got right or wrong."""
    program = line.program
    if face == "findings" and program.leaks and not program.patterns:
        return UNASKED
    if face not in line.faces:
        return UNRUN
    return "; ".join(line.faces[face]).replace("|", "\\|") or "right"


def table(lines: list[Line], faces: list[str]) -> str:
    """Write the table of the page."""
    text = "| program | report | B per call | " + " | ".join(faces) + " |\n"
    text += "| --- | --- | ---: |" + " --- |" * len(faces) + "\n"
    for line in lines:
        program = line.program
        report = f"[report]({program.reference})" if program.leaks else "honest"
        cells = " | ".join(cell(line, face) for face in faces)
        text += f"| {program.what} | {report} | {line.truth:,.0f} | {cells} |\n"
    for face in faces:
        judged = [line for line in lines if cell(line, face) not in (UNASKED, UNRUN)]
        right = sum(not line.faces[face] for line in judged)
        text += f"\n{face}: {right} of {len(judged)} right.\n"
    return text


def main() -> int:
    """Run the programs, and print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=())
    parser.add_argument("--faces", nargs="*", default=list(FACES), choices=list(FACES))
    parser.add_argument("--seconds", type=float, default=14)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--go-on", action="store_true")
    parser.add_argument("--judged", action="store_true")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()

    def look(program: Program) -> Line:
        if asked.judged:
            return judged_line(program)
        return line_of(program, asked.faces, asked.seconds, asked.go_on)

    with ThreadPoolExecutor(asked.jobs) as pool:
        lines = list(pool.map(look, programs(asked.only)))
    text = table(lines, asked.faces)
    if asked.write:
        PAGE.write_text(TABLE.sub(lambda _: text, PAGE.read_text()), encoding="utf-8")
    print(text)
    return 1 if any(found for line in lines for found in line.faces.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
