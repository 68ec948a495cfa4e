"""A set of background tasks that nobody empties: it keeps what each returned.

python examples/leaks/unawaited_tasks.py [fixed]
"""

import asyncio
import sys

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
tasks = set()


async def fetch(number):
    """Returns a page."""
    await asyncio.sleep(0)
    return bytearray(10_000 + number)


async def serve():
    """Start a task for each request."""
    for number in range(20):
        task = asyncio.create_task(fetch(number))
        tasks.add(task)
        if fixed:
            task.add_done_callback(tasks.discard)
    await asyncio.sleep(0.05)


asyncio.run(serve())

print(leakgraph.findings())
