"""Tests how reports name what suspended coroutines and generators keep."""

import asyncio
import re
import sys

import pytest

import leakgraph

PROGRAM = """
import asyncio, sys
import leakgraph

class Item:
    def __init__(self):
        self.data = bytearray(2000)

async def worker(queue):
    seen = []
    while True:
        seen += [Item() for _ in range(await queue.get())]

async def nested(queue):
    await worker(queue)

def counter():
    kept = []
    while True:
        kept += [Item() for _ in range((yield))]

async def stream():
    sent = []
    while True:
        sent += [Item() for _ in range((yield))]

generators = []

async def started(start, queue):
    if start == "task":
        asyncio.create_task(worker(queue))
    elif start == "nested":
        asyncio.create_task(nested(queue))
    elif start == "gather":
        return asyncio.gather(worker(queue))
    elif start == "generator":
        generators.append(counter())
        next(generators[0])
    elif start == "stream":
        generators.append(stream())
        await generators[0].asend(None)

async def work(start, queue):
    waits = await started(start, queue)
    mine = []
    for number in range(4):
        if start == "generator":
            generators[0].send(300)
        elif start == "stream":
            await generators[0].asend(300)
        elif start == "running":
            mine += [Item() for _ in range(300)]
        else:
            queue.put_nowait(300)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        snapshot = leakgraph.snapshot()
        snapshot.save(f"{number}.lgs")
        snapshot.summary(f"{number}.lgsum")
    if waits is not None:
        waits.cancel()

async def main(start):
    queue = asyncio.Queue()
    if start != "group":
        return await work(start, queue)
    async with asyncio.TaskGroup() as group:
        group.create_task(worker(queue))
        await work(start, queue)
        (asyncio.all_tasks() - {asyncio.current_task()}).pop().cancel()

asyncio.run(main(sys.argv[1]))
"""

WORKER = r"task Task-\d+ in coroutine worker\(\) program\.py:\d+ local seen\[\*\]"
#: Frames do not say before 3.11 whose they are.
RUNNING = "coroutine " if sys.version_info >= (3, 11) else ""
HELD = {
    "task": WORKER,
    "group": WORKER,
    "nested": WORKER,
    "gather": WORKER,
    "running": rf"thread MainThread in {RUNNING}work\(\) "
    r"program\.py:\d+ local mine\[\*\]",
    "generator": r"__main__\.generators\[\*\] in generator counter\(\) "
    r"program\.py:\d+ local kept\[\*\]",
    "stream": r"__main__\.generators\[\*\] in async_generator stream\(\) "
    r"program\.py:\d+ local sent\[\*\]",
}


#: TaskGroup came with 3.11. Before, paths to awaited coroutines lead through frames.
NEWER = ("group", "nested")
STARTS = [
    start for start in HELD if hasattr(asyncio, "TaskGroup") or start not in NEWER
]


@pytest.mark.parametrize("start", STARTS)
def test_growth_names_the_function_that_waits(python, tmp_path, start):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    python(program, start)
    growth = leakgraph.diff(*(str(tmp_path / f"{i}.lgs") for i in range(4)))
    (row,) = growth
    assert re.fullmatch(HELD[start], row.held_by), row.held_by
    assert f" in  {row.held_by}\n" in str(growth)
    summaries = leakgraph.diff(*(str(tmp_path / f"{i}.lgsum") for i in range(4)))
    assert summaries[0].held_by == row.held_by
    last = leakgraph.load(str(tmp_path / "3.lgs"))
    assert row.held_by.removesuffix("[*]").replace("[*]", "[0]") in str(last.top())
    assert row.node in last.select(row.held_by)
