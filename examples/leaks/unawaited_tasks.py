"""Background tasks in a set that nobody empties: each waits for what never comes.

python examples/leaks/unawaited_tasks.py [fixed]
"""

import asyncio
import sys

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
tasks = set()
loop = asyncio.new_event_loop()


async def answer(number):
    """Waits for an answer."""
    question = bytearray(10_000 + number)
    coming = loop.create_future()
    if fixed:
        coming.set_result(b"")
    return await coming, question


async def serve():
    """Start a task for each request."""
    for number in range(20):
        task = asyncio.ensure_future(answer(number))
        tasks.add(task)
        if fixed:
            task.add_done_callback(tasks.discard)
    await asyncio.sleep(0.05)


loop.run_until_complete(serve())

print(leakgraph.findings())
