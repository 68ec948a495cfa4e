"""Tasks in a list of a worker, some with an exception; it awaited each of them."""

import asyncio
import sys

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


class Worker:
    def __init__(self):
        self.history = []

    async def work(self, number):
        page = {"text": "x" * 8000 + str(number)}
        if number % 3 == 0:
            raise ValueError(page)
        return page

    async def run(self):
        for number in range(40):
            task = asyncio.ensure_future(self.work(number))
            if not fixed:
                self.history.append(task)
            await asyncio.wait([task])
            task.exception()


worker = Worker()
asyncio.run(worker.run())
print(leakgraph.findings())
