"""A dict of tasks that are done: it keeps what each of them returned.

python examples/leaks/done_tasks.py [fixed]
"""

import asyncio
import sys

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
tasks = {}


async def fetch(number):
    """Returns a page."""
    await asyncio.sleep(0)
    return bytearray(10_000 + number)


async def serve():
    """Start a task for each request, and wait for it."""
    for number in range(20):
        tasks[number] = asyncio.create_task(fetch(number))
        await tasks[number]
        if fixed:
            del tasks[number]


asyncio.run(serve())

print(leakgraph.findings())
