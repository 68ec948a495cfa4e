"""Lets each tool look at each program of the corpus; writes docs/compare.md.

    python bench/race/run.py [--cases NAME,...] [--tools NAME,...] [--jobs N]
                             [--minutes N] [--write] [--again] [--kept]

A name may be a pattern, such as *cache*; that of a tool may be a part of it.

A run goes on where an interrupted one stopped: build/race/results has an answer for
each program and tool, which stands while the program, the adapter and the versions are
the same, and build/race/raw has what the tool printed. All tools look at one program
before the next, so that a part of a run, such as --minutes allows, is as fair as the
whole. A tool that claims to answer no question about a program does not look at it.
Tools inside programs look in so many processes at a time as --jobs says, one for each
processor if it says nothing, and so many tools are attached meanwhile, because those
wait most of their time. Processor time and memory are what the kernel counted for the
tool's process, less those of the same calls without a tool; the clock counts for
nothing. After an interrupted run, --kept --write writes the page from what the tools
have seen.
"""

from __future__ import annotations

import argparse
import difflib
import fnmatch
import hashlib
import importlib.metadata
import json
import os
import platform
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "tools")]

import judge  # noqa: E402
import page  # noqa: E402
import reports  # noqa: E402
from answer import CALLS, ROUNDS  # noqa: E402
from kinds import KINDS  # noqa: E402

import leakgraph  # noqa: E402

BUILD = ROOT / "build/race"
PYTHON = str(BUILD / "env/bin/python")
TOOLS = (
    "leakgraph_repeat",
    "leakgraph_attached",
    "leakgraph_allocations",
    "objgraph_growth",
    "guppy_heapy",
    "pympler_tracker",
    "tracemalloc_compare",
    "memray_tracker",
    "memray_native",
    "memray_attached",
    "pytest_memray_limit",
    "memory_profiler_trend",
    "by_hand",
)
TOTAL = ROUNDS * CALLS
#: The import of a library that takes seconds.
LARGE = re.compile(r"^(import|from) (torch|matplotlib|pandas|pydantic)\b", re.MULTILINE)
#: A process ends within so many seconds once nothing is left to ask.
PATIENCE = 120
#: So many programs at a time for each process, as most wait for an attached tool.
PROGRAMS = 2


def chosen(names: list[str], asked: str, noun: str) -> list[str]:
    """List the names that one of the patterns matches; end if one matches none."""
    patterns = re.split(r"[,\s]+", asked.strip(", ")) if asked.strip(", ") else ["*"]
    for pattern in patterns:
        if not fnmatch.filter(names, pattern):
            near = difflib.get_close_matches(pattern, names, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise SystemExit(f"no {noun} is called {pattern}{hint}")
    return [
        name
        for name in names
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
    ]


def cases(asked: str) -> list[reports.Program]:
    """List the programs, mixed, but those with large libraries behind the others."""
    homes = [reports.HOME, HERE / "cases"]
    paths = [path for home in homes for path in sorted(home.glob("*/*.py"))]
    found = [path for path in paths if path.parent.name in ("leaks", "honest")]
    random.Random(1).shuffle(found)
    found.sort(key=lambda path: bool(LARGE.search(path.read_text(encoding="utf-8"))))
    only = chosen(sorted(path.stem for path in found), asked, "program")
    return [reports.program_of(path) for path in found if path.stem in only]


def tools_called(asked: str) -> list[str]:
    """List the tools with these parts of names."""
    parts = [f"*{part}*" for part in re.split(r"[,\s]+", asked.strip(", ")) if part]
    return chosen(list(TOOLS), ",".join(parts), "tool")


def environment() -> dict[str, str]:
    """Let the programs find the tools and their runner, and draw without a screen."""
    settings = {"MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1", "COLUMNS": "200"}
    settings["PATH"] = f"{BUILD}/env/bin:{os.environ['PATH']}"
    return {**os.environ, "PYTHONPATH": str(reports.HOME), **settings}


class Room:
    """How many processes of a kind run at a time: those that work, those that wait."""

    def __init__(self, jobs: int) -> None:
        self.work = threading.BoundedSemaphore(jobs)
        self.wait = threading.BoundedSemaphore(jobs)


class Server:
    """A process that has imported what a program needs, and forks for each question."""

    def __init__(self, program: reports.Program, room: Room) -> None:
        self.program, self.room = program, room
        self.child: subprocess.Popen[str] | None = None
        self.turn = threading.Lock()

    def ask(self, *words: str, raw: Path) -> dict[str, Any]:
        """Fork a child for a verb; return its answer, and what the kernel counted."""
        with self.turn, self.room.work:
            folder = fresh(raw)
            return answered(folder, self._told([words, str(folder), str(raw)]), raw)

    def watch(self, tool: str, raw: Path) -> dict[str, Any]:
        """Let a tool attach to a fork that makes calls at a steady pace."""
        folder = fresh(raw)
        attached, calls = folder / "attached", raw.with_suffix(".loop.txt")
        attached.mkdir()
        with self.room.wait:
            with self.turn:
                loop = [["loop"], str(folder), str(calls)]
                process = int(self._told(loop)["process"])
            try:
                begun(folder)
                told = outside("attach", tool, str(process), str(attached), raw=raw)
            finally:
                os.kill(process, signal.SIGTERM)
        with self.turn:
            counted = self._told([["end", str(process)], str(folder), str(calls)])
        ran = answered(folder, counted, calls)
        if "failed" in told or "failed" in ran:
            return told if "failed" in told else ran
        times, (begin, end) = ran["times"], told["looked"]
        first, last = (sum(each <= at for each in times) for at in (begin, end))
        pace = (last - first) / (end - begin)
        rate = [size / pace for size in told["rate"] or []]
        seconds = ran["busy"] / len(times) * TOTAL
        return {**told, "rate": rate, "seconds": seconds, "calls": [first, last]}

    def _told(self, line: object) -> dict[str, Any]:
        """Send a line, and read the answer; begin the process before the first."""
        if self.child is None:
            self.child = subprocess.Popen(
                [PYTHON, str(HERE / "drive.py"), "serve", str(self.program.path)]
                + (["malloc"] if self.program.native else []),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=environment(),
            )
        assert self.child.stdin is not None and self.child.stdout is not None
        self.child.stdin.write(json.dumps(line) + "\n")
        self.child.stdin.flush()
        found: dict[str, Any] = json.loads(self.child.stdout.readline())
        return found

    def close(self) -> None:
        """End the process."""
        if self.child is not None:
            self.child.communicate(timeout=PATIENCE)


def begun(folder: Path) -> None:
    """Wait until a loop has made its first calls."""
    for _ in range(50 * PATIENCE):
        if (folder / "running").exists():
            return
        time.sleep(0.02)
    raise TimeoutError("the program makes no calls")


def fresh(raw: Path) -> Path:
    """Make an empty folder for an answer; each of those asked at a time has its own."""
    folder = BUILD / "work" / str(os.getpid()) / raw.stem
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def answered(folder: Path, counted: dict[str, Any], raw: Path) -> dict[str, Any]:
    """Read a child's answer, or why there is none."""
    if counted["code"] == 0:
        told = json.loads((folder / "answer.json").read_text(encoding="utf-8"))
        return {**told, "cpu": counted["cpu"], "peak": counted["peak"]}
    last = (raw.read_text(errors="replace").strip().splitlines() or [""])[-1]
    late = counted["code"] in (-signal.SIGKILL, -signal.SIGXCPU)
    return {"failed": "too slow" if late else last}


def outside(*words: str, raw: Path) -> dict[str, Any]:
    """Run drive.py beside the program; return its JSON, and its processor time."""
    with raw.open("w", encoding="utf-8") as out:
        child = subprocess.Popen(
            [PYTHON, str(HERE / "drive.py"), *words],
            stdout=out,
            stderr=subprocess.STDOUT,
            env=environment(),
        )
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    last = (raw.read_text(errors="replace").strip().splitlines() or [""])[-1]
    if child.returncode != 0:
        return {"failed": last}
    return {**json.loads(last), "cpu": used.ru_utime + used.ru_stime}


def raw_of(program: reports.Program, tool: str) -> Path:
    """Name the file of what a tool prints about a program."""
    return BUILD / "raw" / f"{program.path.stem}-{tool}.txt"


def truth_of(server: Server) -> dict[str, Any]:
    """Measure what is true of a program, and what it costs without a tool."""
    program, raw = server.program, raw_of(server.program, "truth")
    measured = server.ask("truth" if program.leaks else "bound", raw=raw)
    bare = server.ask("bare", raw=raw)
    types = server.ask("types", raw=raw) if program.leaks else {}
    sites = server.ask("sites", raw=raw) if program.leaks else {}
    for found in (measured, bare, types, sites):
        if "failed" in found:
            return {"failed": found["failed"]}
    if program.leaks and measured["freed"] < reports.FREED:
        return {"failed": f"letting go frees {measured['freed']:.0%}"}
    if not program.leaks and measured["per_call"] > reports.LEFT:
        return {"failed": f"an honest program leaves {measured['per_call']:.0f} B"}
    return {
        "leaks": program.leaks,
        "path": str(program.path.relative_to(ROOT)),
        "what": program.what,
        "kind": KINDS.get(program.path.stem, "") if program.leaks else "honest",
        "native": program.native,
        "holders": list(program.holders),
        "per_call": measured["per_call"],
        "types": types.get("types", []),
        "sites": sites.get("sites", []),
        "bare": bare,
    }


def truth_of_calls(server: Server, told: dict[str, Any]) -> dict[str, float]:
    """Measure what a call leaves of those that an attached tool has looked at.

    A table that grows at once, such as a dict's, is in other calls than in the first.
    """
    if not server.program.leaks:
        return {}
    calls = [str(each) for each in told["calls"]]
    found = server.ask("window", *calls, raw=raw_of(server.program, "truth"))
    return {} if "failed" in found else {"per_call": found["per_call"]}


def look(tool: str, server: Server) -> dict[str, Any]:
    """Let a tool look at a program, from inside or from outside."""
    raw = raw_of(server.program, tool)
    if tool.endswith("_attached"):
        told = server.watch(tool, raw)
        return {**told, **truth_of_calls(server, told)} if "calls" in told else told
    return server.ask("look", tool, raw=raw)


def adapter_files(tool: str) -> list[Path]:
    """List an adapter, and those whose functions it uses."""
    file = HERE / "rivals" / f"{tool}.py"
    used = re.findall(r"^from rivals\.(\w+)", file.read_text("utf-8"), re.MULTILINE)
    return [file, *(each for other in used for each in adapter_files(other))]


def key(program: reports.Program, tool: str) -> str:
    """Name what an answer depends on."""
    files = [program.path, HERE / "drive.py", HERE / "answer.py"]
    versions = [platform.python_version()]
    if tool != "truth":
        files += adapter_files(tool)
        files += [] if page.adapter(tool).RESTART else [HERE / "typed.py"]
        versions += map(importlib.metadata.version, page.adapter(tool).PACKAGES)
    if "leakgraph" in tool:
        files += sorted(Path(leakgraph.__file__).parent.glob("*.so"))
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in files))
    digest.update(" ".join(versions).encode())
    return digest.hexdigest()


def kept(server: Server, tool: str, again: bool) -> dict[str, Any]:
    """Return the answer of an earlier run, or ask now."""
    program = server.program
    file = BUILD / "results" / f"{program.path.stem}-{tool}.json"
    now = key(program, tool)
    if file.exists() and not again:
        old: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        if old["key"] == now:
            return old
    try:
        new = truth_of(server) if tool == "truth" else look(tool, server)
    except (subprocess.SubprocessError, ValueError, OSError) as error:
        new = {"failed": str(error)}
    new["key"] = now
    file.write_text(json.dumps(new, indent=1), encoding="utf-8")
    return new


def ask_all(server: Server, tools: list[str], again: bool) -> page.Result | None:
    """Let tools look at a program whose truth is known, and attach others meanwhile."""
    program, name = server.program, server.program.path.stem
    tools = [tool for tool in tools if page.asked(tool, program.leaks)]
    attached = [tool for tool in tools if not page.adapter(tool).RESTART]
    try:
        truth = kept(server, "truth", again)
        if "failed" in truth:
            print(f"{name}: {truth['failed']}", file=sys.stderr, flush=True)
            return None
        with ThreadPoolExecutor(len(TOOLS)) as pool:
            begun = {tool: pool.submit(kept, server, tool, again) for tool in attached}
            told = {
                tool: kept(server, tool, again) for tool in tools if tool not in begun
            }
            told |= {tool: future.result() for tool, future in begun.items()}
    finally:
        server.close()
    return page.Result(name, truth, {tool: told[tool] for tool in tools})


def answers_of(program: reports.Program, tools: list[str]) -> page.Result | None:
    """Read the answers that an earlier run kept, of the tools that have looked."""
    folder, name = BUILD / "results", program.path.stem
    tools = [tool for tool in tools if page.asked(tool, program.leaks)]
    files = {tool: folder / f"{name}-{tool}.json" for tool in ("truth", *tools)}
    told = {
        tool: json.loads(file.read_text("utf-8"))
        for tool, file in files.items()
        if file.exists()
    }
    truth = told.pop("truth", {"failed": "not seen"})
    return page.Result(name, truth, told) if told and "failed" not in truth else None


def beside(
    programs: list[reports.Program],
    count: int,
    ask: Callable[[reports.Program], page.Result | None],
) -> Iterator[page.Result]:
    """Ask about so many programs at a time; tell the answers in order."""
    pool = ThreadPoolExecutor(count)
    try:
        for result in pool.map(ask, programs):
            if result is not None:
                print(line(result), flush=True)
                yield result
    finally:
        pool.shutdown(cancel_futures=True)


def main() -> int:
    """Run, and print or write the page."""
    jobs = os.cpu_count() or 1
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", default="", help="only these programs")
    parser.add_argument("--tools", default="", help="only tools with such names")
    parser.add_argument("--jobs", type=int, default=jobs, help="processes at a time")
    parser.add_argument("--minutes", type=float, default=1e9, help="end after so many")
    parser.add_argument("--write", action="store_true", help="write docs/compare.md")
    parser.add_argument("--again", action="store_true", help="forget earlier answers")
    parser.add_argument("--kept", action="store_true", help="use earlier answers alone")
    asked = parser.parse_args()
    tools, programs = tools_called(asked.tools), cases(asked.cases)
    for folder in ("results", "raw"):
        (BUILD / folder).mkdir(parents=True, exist_ok=True)
    end, room = time.monotonic() + 60 * asked.minutes, Room(asked.jobs)

    def ask(program: reports.Program) -> page.Result | None:
        if time.monotonic() > end:
            return None
        if asked.kept:
            return answers_of(program, tools)
        return ask_all(Server(program, room), tools, asked.again)

    results = list(beside(programs, PROGRAMS * asked.jobs, ask))
    page.write(results, tools, asked.write)
    return 0


def line(result: page.Result) -> str:
    """Say in one line what each tool got right."""
    marks = {True: "+", False: "-", None: "."}
    cells = []
    for tool, told in result.told.items():
        if "failed" in told:
            cells.append(f"{tool.split('_')[0]}:failed")
            continue
        found = judge.verdicts(result.truth, told)
        cells.append(
            f"{tool[:12]}:" + "".join(marks[value] for value in found.values())
        )
    return f"{result.name:26} " + " ".join(cells)


if __name__ == "__main__":
    sys.exit(main())
