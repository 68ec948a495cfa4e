"""Tasks that are done, in a history and by their number."""

import asyncio
import sys

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
history = []
results = {}


async def job(number):
    return bytearray(10_000 + number)


async def main():
    for number in range(20):
        task = asyncio.ensure_future(job(number))
        block = await task
        history.append(len(block) if fixed else task)
        results[number] = history[-1]


asyncio.run(main())
print(leakgraph.findings())
