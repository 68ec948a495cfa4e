"""Tasks in a dict of a server, each of which waits for an answer that nobody sends."""

import asyncio
import sys

import numpy

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


class Server:
    def __init__(self):
        self.pending = {}

    async def ask(self, number):
        question = numpy.full(1000, float(number))
        if fixed:
            return question.sum()
        return await asyncio.get_running_loop().create_future(), question

    async def serve(self):
        for number in range(18):
            task = asyncio.ensure_future(self.ask(number))
            self.pending[number] = task
            if fixed:
                await task
                del self.pending[number]
        await asyncio.sleep(0)
        print(leakgraph.findings())


asyncio.run(Server().serve())
