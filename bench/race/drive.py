"""Runs one program of the corpus, in forks of this process, as its input says.

    python drive.py serve CASE [malloc]
    python drive.py attach TOOL PID FOLDER

`serve` imports what the program needs, once. For each line of its input, a list of a
verb with its words, a folder for the answer and a file for what is printed, it forks a
child that does what the verb says, and prints what the kernel counted for that child:

    truth            what a call leaves, and that letting go frees it
    window A B       what a call leaves, from the A-th to the B-th behind the first ones
    bound            what a call of an honest program adds to its highest mark
    types            which types letting go frees
    sites            which lines have allocated what letting go frees
    bare             the calls without a tool
    look TOOL        the calls, and a tool that looks from inside
    loop             calls at a steady pace until SIGTERM; the number of the process is
                     printed at once, so that other lines can follow
    end PROCESS      what the kernel counted for such a loop, once it has ended
"""

from __future__ import annotations

import array
import collections
import dataclasses
import gc
import importlib
import itertools
import json
import os
import resource
import runpy
import signal
import sys
import time
import traceback
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "tests/reports")]

import program as corpus  # noqa: E402
from answer import CALLS, ROUNDS, WARM, Printed, Program  # noqa: E402

#: A line counts as an allocating line from this share of what letting go frees.
SHARE = 0.10
#: Calls in a second of a loop.
PACE = 25
#: What the tool prints; it is there before the tool is.
OUT = Printed()


#: No tool may take more seconds of processor time, or ten times as many of the clock.
#: Accounts of the truth have as many of either.
PATIENCE = 60

Call = Callable[[], None]


def warmed(call: Call, folder: str) -> Program:
    """Make the first calls."""
    for _ in range(WARM):
        call()
    gc.collect()
    return Program(call, Path(folder), OUT)


def accounted() -> None:
    """Begin the accounts that know no tool; those of malloc need no beginning."""
    if not corpus.NATIVE:
        tracemalloc.start()


def truth(call: Call, let_go: Call, folder: str) -> Any:
    """Measure what a call leaves, by accounts that know no tool, in the same calls."""
    corpus.WARM, corpus.ROUNDS, corpus.CALLS = WARM, ROUNDS, CALLS
    accounted()
    return corpus._truth(call, let_go)


def window(call: Call, let_go: Call, folder: str, first: str, last: str) -> Any:
    """Measure what a call leaves, in the calls that an attached tool looked at."""
    accounted()
    for _ in range(WARM + int(first)):
        call()
    before = corpus._settled()
    for _ in range(int(last) - int(first)):
        call()
    return {"per_call": (corpus._settled() - before) / (int(last) - int(first))}


def bound(call: Call, let_go: Call, folder: str) -> Any:
    """Measure how much higher each of three windows rises, once caches are full.

    What is emptied now and then ends a window anywhere between empty and full. So the
    highest marks count, which are equal whatever the period is. A table that is made
    larger once, and what allocators keep, raise one mark; a leak raises all of them.
    What is there before is frozen, so that the collections after each call are short.
    There is one after each of the late calls as well, because it empties the lists of
    free objects: until all that a program keeps was made since, the marks would rise.
    """
    accounted()
    gc.collect()
    gc.freeze()
    for _ in range(corpus.LATE):
        mark(call)
    window = ROUNDS * CALLS
    first, second, third = (max(mark(call) for _ in range(window)) for _ in range(3))
    return {"per_call": min(second - first, third - second) / window}


def mark(call: Call) -> int:
    """Make a call; return the bytes that are in use after it, but for garbage."""
    call()
    gc.collect()
    return corpus._in_use()


def bare(call: Call, let_go: Call, folder: str) -> Any:
    """Make the calls without a tool."""
    program = warmed(call, folder)
    program.run()
    return {"seconds": program.seconds}


def look(call: Call, let_go: Call, folder: str, tool: str) -> Any:
    """Let a tool look at the program from inside."""
    adapter, screen = importlib.import_module(f"rivals.{tool}"), sys.stdout
    program, sys.stdout = warmed(call, folder), OUT
    try:
        answer = adapter.look(program)
    finally:
        sys.stdout = screen
        print(OUT.getvalue())
    return {"seconds": program.seconds, **dataclasses.asdict(answer)}


def loop(call: Call, let_go: Call, folder: str) -> Any:
    """Make calls at a steady pace until SIGTERM, and note when each was made.

    The place for the notes is there before the tool is, so that it does not grow.
    """
    stopped: list[int] = []
    signal.signal(signal.SIGTERM, lambda *_: stopped.append(1))
    times = array.array("d", bytes(8 * 10 * PATIENCE * PACE))
    warmed(call, folder)
    Path(folder, "running").touch()
    begin, done, busy = time.monotonic(), 0, 0.0
    while not stopped and done < len(times):
        before = time.process_time()
        call()
        busy += time.process_time() - before
        times[done] = time.time()
        done += 1
        time.sleep(max(0.0, begin + done / PACE - time.monotonic()))
    return {"times": times[:done].tolist(), "busy": busy}


def attach(tool: str, process: str, folder: str) -> Any:
    """Let a tool look at a process from outside."""
    answer = importlib.import_module(f"rivals.{tool}").attach(
        int(process), Path(folder)
    )
    return {**dataclasses.asdict(answer), "peak": peak()}


def peak() -> int:
    """Measure the peak of this process and of those that it has started.

    What the kernel counts for a process begins with what its parent had, so only the
    account of its present memory tells of this one.
    """
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    own = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
    of_others = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return max(own, of_others) << 10


def _types() -> collections.Counter[str]:
    """Count the collector's objects, and the others that they refer to, by type."""
    objects = gc.get_objects()
    others = {
        id(one): one
        for begin in range(0, len(objects), 10_000)
        for one in gc.get_referents(*objects[begin : begin + 10_000])
        if not gc.is_tracked(one)
    }
    found = collections.Counter(map(type, objects))
    found.update(map(type, others.values()))
    return collections.Counter(
        {f"{of.__module__}.{of.__qualname__}": count for of, count in found.items()}
    )


def _sites(name: str) -> collections.Counter[int]:
    """Add up what each line of a file has allocated, by the innermost of its frames."""
    found: collections.Counter[int] = collections.Counter()
    for trace in tracemalloc.take_snapshot().traces:
        lines = [frame.lineno for frame in trace.traceback if frame.filename == name]
        if lines:
            found[lines[-1]] += trace.size
    return found


def types(call: Call, let_go: Call, folder: str) -> Any:
    """Measure what letting go frees, by type."""
    program = warmed(call, folder)
    program.run()
    found = _types()
    let_go()
    gc.collect()
    found.subtract(_types())
    most = 0.9 * program.total
    return {"types": [name for name, count in found.most_common() if count >= most]}


def sites(call: Call, let_go: Call, folder: str) -> Any:
    """Measure what letting go frees, by line of the program."""
    path = sys.modules["__main__"].__dict__["__file__"]
    program = warmed(call, folder)
    tracemalloc.start(25)
    program.run()
    found = _sites(path)
    let_go()
    gc.collect()
    found.subtract(_sites(path))
    enough = SHARE * sum(size for size in found.values() if size > 0)
    lines = [line for line, size in found.most_common() if 0 < enough <= size]
    return {"sites": lines}


VERBS: dict[str, Callable[..., Any]] = {
    "truth": truth,
    "window": window,
    "bound": bound,
    "types": types,
    "sites": sites,
    "bare": bare,
    "look": look,
    "loop": loop,
}


def _child(call: Call, let_go: Call, words: list[str], folder: str, raw: str) -> None:
    """Do what a verb says, and write the answer."""
    os.setsid()
    seconds = PATIENCE if words[0] == "look" else 10 * PATIENCE
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    out = os.open(raw, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    code = 1
    try:
        answer = VERBS[words[0]](call, let_go, folder, *words[1:])
        Path(folder, "answer.json").write_text(json.dumps(answer), encoding="utf-8")
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _ended(child: int) -> dict[str, Any]:
    """Wait for a child, and kill it and its own if that takes too long."""
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(child, signal.SIGKILL))
    signal.alarm(10 * PATIENCE)
    _, status, used = os.wait4(child, 0)
    signal.alarm(0)
    cpu, peak = used.ru_utime + used.ru_stime, used.ru_maxrss << 10
    return {"code": os.waitstatus_to_exitcode(status), "cpu": cpu, "peak": peak}


def serve(call: Call, let_go: Call) -> None:
    """Answer each line of the input."""
    gc.collect()
    for line in iter(sys.stdin.readline, ""):
        words, folder, raw = json.loads(line)
        child = int(words[1]) if words[0] == "end" else os.fork()
        if child == 0:
            _child(call, let_go, words, folder, raw)
        told = {"process": child} if words[0] == "loop" else _ended(child)
        print(json.dumps(told), flush=True)


def main() -> None:
    """Do what the command line says."""
    verb, *words = sys.argv[1:]
    sys.argv[1:] = []
    if verb == "attach":
        print(json.dumps(attach(*words)), flush=True)
        return
    corpus.NATIVE = "malloc" in words

    def run(work: Callable[[int], None], let_go: Call) -> None:
        numbers = itertools.count(1000)
        serve(lambda: work(next(numbers)), let_go)

    corpus.run = run
    runpy.run_path(words[0], run_name="__main__")


if __name__ == "__main__":
    main()
