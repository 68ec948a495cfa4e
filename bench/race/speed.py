"""Times single questions to each tool on heaps of records; writes docs/compare.md.

    python bench/race/speed.py [--objects 100000 1000000 10000000] [--write] [--kept]

Each figure is of a process of its own, which makes the heap first: the processor time
of the question, that of the programs that it starts included, and the peak of memory
beyond the heap. Of a question that takes less than a second, it is the least of three.
Answers are not the same: the table says what each call computes. A process may take ten
minutes of processor time, and 12 GiB of addresses. build/race/speed has each figure;
with --kept they stand for other versions, too, so that only missing ones are asked for.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import io
import json
import os
import platform
import re
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
#: The other tools' distributions.
OTHERS = ("Pympler", "guppy3", "objgraph", "refcycle")
sys.path[:0] = [str(HERE), str(HERE.parent)]

#: What the program has; no variable of a function refers to a record.
records: list[Any] = []
#: No process may take longer, in seconds of processor time.
PATIENCE = 600
#: No process may reserve more addresses.
MEMORY = 12 << 30
#: A question that took longer than this is not asked of the next size, which takes ten
#: times as long or more.
LONG = PATIENCE / 10


Question = Callable[[str], object]


def middle() -> object:
    """Return the record in the middle."""
    return records[len(records) // 2]


def leakgraph_cycles(file: str) -> object:
    """`snapshot().cycles()`."""
    import leakgraph

    return str(leakgraph.snapshot().cycles())


def refcycle_components(file: str) -> object:
    """`snapshot().strongly_connected_components()`."""
    import refcycle

    return refcycle.snapshot().strongly_connected_components()


def leakgraph_top(file: str) -> object:
    """`snapshot().top()`: of every object."""
    import leakgraph

    return str(leakgraph.snapshot().top())


def guppy_domisize(file: str) -> object:
    """`hpy().iso(records).domisize`: of one object."""
    import guppy

    return guppy.hpy().iso(records).domisize


def pympler_asizeof(file: str) -> object:
    """`asizeof(records)`: what one object refers to."""
    from pympler import asizeof

    return asizeof.asizeof(records)


def leakgraph_path(file: str) -> object:
    """`show_path(x, retained=False)`."""
    import leakgraph

    return str(leakgraph.show_path(middle(), retained=False))


def leakgraph_path_with_sizes(file: str) -> object:
    """`show_path(x, retained=True)`."""
    import leakgraph

    return str(leakgraph.show_path(middle(), retained=True))


def objgraph_chain(file: str) -> object:
    """`find_backref_chain(x, is_proper_module)`."""
    import objgraph

    return objgraph.find_backref_chain(middle(), objgraph.is_proper_module)


def guppy_path(file: str) -> object:
    """`hpy().iso(x).sp`."""
    import guppy

    return str(guppy.hpy().iso(middle()).sp)


def leakgraph_picture(file: str) -> object:
    """`show_backrefs(x, "x.svg")`."""
    import leakgraph

    return leakgraph.show_backrefs(middle(), file)


def objgraph_picture(file: str) -> object:
    """`show_backrefs([x], filename="x.svg")`."""
    import objgraph

    return objgraph.show_backrefs([middle()], filename=file)


QUESTIONS: dict[str, dict[str, Question]] = {
    "cycles": {"leakgraph": leakgraph_cycles, "refcycle": refcycle_components},
    "retained sizes": {
        "leakgraph": leakgraph_top,
        "guppy3": guppy_domisize,
        "Pympler": pympler_asizeof,
    },
    "a path from a root": {
        "leakgraph": leakgraph_path,
        "leakgraph, with sizes": leakgraph_path_with_sizes,
        "objgraph": objgraph_chain,
        "guppy3": guppy_path,
    },
    "a picture": {"leakgraph": leakgraph_picture, "objgraph": objgraph_picture},
}


def used() -> float:
    """Add up the processor time of this process and of its children."""
    of = [
        resource.getrusage(who)
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    ]
    return sum(each.ru_utime + each.ru_stime for each in of)


def resident(field: str) -> int:
    """Read a field of this process's memory from the kernel."""
    with open("/proc/self/status", encoding="ascii") as lines:
        return next(
            int(line.split()[1]) << 10 for line in lines if line.startswith(field)
        )


def one(question: str, tool: str, objects: int) -> dict[str, float]:
    """Make the heap, and ask."""
    import heap

    records.extend(heap.records(objects, shuffled=False))
    ask = QUESTIONS[question][tool]
    with tempfile.TemporaryDirectory() as folder:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        memory, begin = resident("VmRSS"), used()
        answer = ask(str(Path(folder, "x.svg")))
        seconds, peak = used() - begin, resident("VmHWM") - memory
    del answer
    return {"seconds": seconds, "peak": peak}


def limited() -> None:
    """Limit a process before it starts."""
    resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def figure(question: str, tool: str, objects: int) -> dict[str, Any]:
    """Ask in a process of its own; return its figures, or the reason of its failure."""
    child = subprocess.run(
        [sys.executable, __file__, "--one", question, tool, str(objects)],
        capture_output=True,
        text=True,
        preexec_fn=limited,
    )
    if child.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return {"failed": "over 10 minutes"}
    if child.returncode != 0:
        last = (child.stderr.strip().splitlines() or ["failed"])[-1]
        return {"failed": "over 12 GiB" if "MemoryError" in last else last}
    found: dict[str, Any] = json.loads(child.stdout.splitlines()[-1])
    return found


def best(question: str, tool: str, objects: int) -> dict[str, Any]:
    """Ask three times what takes less than a second; return the least seconds."""
    found = [figure(question, tool, objects)]
    while len(found) < 3 and found[0].get("seconds", 1) < 1:
        found.append(figure(question, tool, objects))
    return min(found, key=lambda each: each.get("seconds", 0))


def table(sizes: list[int], stand: bool) -> str:
    """Ask all, and write the table."""
    out = io.StringIO()
    head = ["question", "tool", "call", *(f"{size:,}" for size in sizes)]
    out.write("| " + " | ".join(head) + " |\n")
    out.write("| --- | --- | --- |" + " ---: |" * len(sizes) + "\n")
    for question, tools in QUESTIONS.items():
        for tool, ask in tools.items():
            call = (ask.__doc__ or "").rstrip(".")
            cells = [question, tool, call, *cells_of(question, tool, sizes, stand)]
            out.write("| " + " | ".join(cells) + " |\n")
    return out.getvalue()


def cells_of(question: str, tool: str, sizes: list[int], stand: bool) -> list[str]:
    """Ask a tool one question for all sizes, until it takes too long."""
    cells: list[str] = []
    for size in sizes:
        found = kept(question, tool, size, stand)
        if "failed" in found:
            cells.append(f"- ({found['failed']})")
            break
        seconds, peak = found["seconds"], found["peak"] / (1 << 20)
        cells.append(f"{seconds:.2f} s, {peak:,.0f} MiB")
        if seconds > LONG:
            break
    return cells + ["- (not tried)"] * (len(sizes) - len(cells))


def kept(question: str, tool: str, size: int, stand: bool) -> dict[str, Any]:
    """Return the figures of an earlier run, or ask now.

    They stand while the versions are the same, or in any case.
    """
    name = re.sub(r"\W+", "-", f"{question} {tool} {size}")
    file = ROOT / "build/race/speed" / f"{name}.json"
    now = [platform.python_version(), leakgraph_built(), *versions()]
    if file.exists():
        old: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        if stand or old["versions"] == now:
            return old
    new = {**best(question, tool, size), "versions": now}
    print(name, new.get("failed") or f"{new['seconds']:.3f} s", flush=True)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(new), encoding="utf-8")
    return new


def versions() -> list[str]:
    """Name the versions of the other tools."""
    return [f"{name} {importlib.metadata.version(name)}" for name in OTHERS]


def leakgraph_built() -> str:
    """Name the build of leakgraph."""
    import leakgraph

    core = sorted(Path(leakgraph.__file__).parent.glob("*.so"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in core)).hexdigest()


def main() -> int:
    """Ask one question, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    sizes = [100_000, 1_000_000, 10_000_000]
    parser.add_argument("--objects", type=int, nargs="+", default=sizes)
    parser.add_argument("--one", nargs=3)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--kept", action="store_true", help="use any earlier figures")
    asked = parser.parse_args()
    os.environ.setdefault("MPLBACKEND", "Agg")
    if asked.one:
        print(json.dumps(one(asked.one[0], asked.one[1], int(asked.one[2]))))
        return 0
    import page

    text = f"{page.versions(OTHERS)}\n\n{table(asked.objects, asked.kept)}"
    if asked.write:
        page.put(page.PAGE, "speed", text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
