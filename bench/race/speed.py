"""Times single questions to each tool on heaps of records; writes docs/compare.md.

    python bench/race/speed.py [--objects 100000 1000000] [--write]

Each figure is of a process of its own, which makes the heap first: the processor time
of the question, that of the programs that it starts included, and the peak of memory
beyond the heap. Answers are not the same: the table says what each call computes.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

#: No question may take longer, in seconds of the clock.
PATIENCE = 300
#: A question that took longer than this is not asked of the next size.
LONG = 10.0


def leakgraph_cycles(kept: list[Any], x: object, file: str) -> object:
    """`snapshot().cycles()`."""
    import leakgraph

    return str(leakgraph.snapshot().cycles())


def refcycle_components(kept: list[Any], x: object, file: str) -> object:
    """`snapshot().strongly_connected_components()`."""
    import refcycle

    return refcycle.snapshot().strongly_connected_components()


def leakgraph_top(kept: list[Any], x: object, file: str) -> object:
    """`snapshot().top()`: of every object."""
    import leakgraph

    return str(leakgraph.snapshot().top())


def guppy_domisize(kept: list[Any], x: object, file: str) -> object:
    """`hpy().iso(kept).domisize`: of one object."""
    import guppy

    return guppy.hpy().iso(kept).domisize


def pympler_asizeof(kept: list[Any], x: object, file: str) -> object:
    """`asizeof(kept)`: what one object refers to."""
    from pympler import asizeof

    return asizeof.asizeof(kept)


def leakgraph_path(kept: list[Any], x: object, file: str) -> object:
    """`show_path(x)`: with retained sizes."""
    import leakgraph

    return str(leakgraph.show_path(x))


def leakgraph_bare_path(kept: list[Any], x: object, file: str) -> object:
    """`show_path(x, retained=False)`."""
    import leakgraph

    return str(leakgraph.show_path(x, retained=False))


def objgraph_chain(kept: list[Any], x: object, file: str) -> object:
    """`find_backref_chain(x, is_proper_module)`."""
    import objgraph

    return objgraph.find_backref_chain(x, objgraph.is_proper_module)


def guppy_path(kept: list[Any], x: object, file: str) -> object:
    """`hpy().iso(x).sp`."""
    import guppy

    return str(guppy.hpy().iso(x).sp)


def leakgraph_picture(kept: list[Any], x: object, file: str) -> object:
    """`show_backrefs(x, "x.svg")`."""
    import leakgraph

    return leakgraph.show_backrefs(x, file)


def objgraph_picture(kept: list[Any], x: object, file: str) -> object:
    """`show_backrefs([x], filename="x.svg")`."""
    import objgraph

    return objgraph.show_backrefs([x], filename=file)


Question = Callable[[list[Any], object, str], object]
QUESTIONS: dict[str, dict[str, Question]] = {
    "cycles": {"leakgraph": leakgraph_cycles, "refcycle": refcycle_components},
    "retained sizes": {
        "leakgraph": leakgraph_top,
        "guppy3": guppy_domisize,
        "Pympler": pympler_asizeof,
    },
    "a path from a root": {
        "leakgraph": leakgraph_path,
        "leakgraph, bare": leakgraph_bare_path,
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

    kept = heap.records(objects, shuffled=False)
    ask = QUESTIONS[question][tool]
    with tempfile.TemporaryDirectory() as folder:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        memory, begin = resident("VmRSS"), used()
        answer = ask(kept, kept[len(kept) // 2], str(Path(folder, "x.svg")))
        seconds, peak = used() - begin, resident("VmHWM") - memory
    del answer
    return {"seconds": seconds, "peak": peak}


def figure(question: str, tool: str, objects: int) -> dict[str, float]:
    """Ask in a process of its own."""
    child = subprocess.run(
        [sys.executable, __file__, "--one", question, tool, str(objects)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    found: dict[str, float] = json.loads(child.stdout.splitlines()[-1])
    return found


def table(sizes: list[int]) -> str:
    """Ask all, and write the table."""
    out = io.StringIO()
    head = ["question", "tool", "call", *(f"{size:,}" for size in sizes)]
    out.write("| " + " | ".join(head) + " |\n")
    out.write("| --- | --- | --- |" + " ---: |" * len(sizes) + "\n")
    for question, tools in QUESTIONS.items():
        for tool, ask in tools.items():
            call = (ask.__doc__ or "").rstrip(".")
            cells = [question, tool, call, *cells_of(question, tool, sizes)]
            out.write("| " + " | ".join(cells) + " |\n")
            print(*cells, sep=" | ", flush=True)
    return out.getvalue()


def cells_of(question: str, tool: str, sizes: list[int]) -> list[str]:
    """Ask a tool one question for all sizes, until it takes too long."""
    cells: list[str] = []
    for size in sizes:
        try:
            found = figure(question, tool, size)
        except subprocess.TimeoutExpired:
            found = {"seconds": float(PATIENCE), "peak": 0}
        except subprocess.CalledProcessError as error:
            cells.append((error.stderr.strip().splitlines() or ["failed"])[-1])
            continue
        late = found["seconds"] >= PATIENCE
        seconds, peak = found["seconds"], found["peak"] / (1 << 20)
        cells.append("too slow" if late else f"{seconds:.2f} s, {peak:.0f} MiB")
        if seconds > LONG:
            break
    return cells + ["not tried"] * (len(sizes) - len(cells))


def main() -> int:
    """Ask one question, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    sizes = [100_000, 1_000_000]
    parser.add_argument("--objects", type=int, nargs="+", default=sizes)
    parser.add_argument("--one", nargs=3)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    os.environ.setdefault("MPLBACKEND", "Agg")
    if asked.one:
        print(json.dumps(one(asked.one[0], asked.one[1], int(asked.one[2]))))
        return 0
    text = table(asked.objects)
    if asked.write:
        import page

        page.put(page.PAGE, "speed", text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
