"""Tasks in an attribute, of which three in four are done: the program awaits the rest,
and then needs all results.
"""

import asyncio

import leakgraph


class Crawler:
    def __init__(self):
        self.tasks = []
        self.open = asyncio.Event()

    async def fetch(self, number):
        if number % 4 == 0:
            await self.open.wait()
        return "x" * 5000 + str(number)

    async def run(self):
        self.tasks += [asyncio.ensure_future(self.fetch(n)) for n in range(80)]
        together = asyncio.gather(*self.tasks)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        print(leakgraph.findings())
        self.open.set()
        return await together


asyncio.run(Crawler().run())
