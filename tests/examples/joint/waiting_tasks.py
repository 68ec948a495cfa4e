"""Tasks that wait for ever, by their number and in the order of their start."""

import asyncio
import sys

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


class Pool:
    def __init__(self):
        self.by_number = {}
        self.order = []


async def wait(never):
    block = bytearray(10_000)
    await never.wait()
    return block


async def main():
    pool = Pool()
    globals()["pool"] = pool
    for number in range(0 if fixed else 20):
        task = asyncio.ensure_future(wait(asyncio.Event()))
        pool.by_number[number] = task
        pool.order.append(task)
    await asyncio.sleep(0)


loop = asyncio.new_event_loop()
loop.run_until_complete(main())
print(leakgraph.findings())
for left in asyncio.all_tasks(loop):
    left.cancel()
loop.run_until_complete(asyncio.sleep(0))
