"""A timer of a transport copies the context of its process, and so keeps the process.

https://github.com/aiidateam/aiida-core/issues/4698
"""

import asyncio
import contextvars

import program

HOLDERS = ("__main__.loop._scheduled[*]",)

loop = asyncio.new_event_loop()
current = contextvars.ContextVar("current")


class Process:
    def __init__(self, number):
        self.inputs = {"number": number, "structure": bytearray(3000)}


def close_transport():
    pass


async def step(number):
    current.set(Process(number))
    if program.FIXED:
        timer = loop.call_later(3600, close_transport, context=contextvars.Context())
        timer.cancel()
    else:
        loop.call_later(3600, close_transport)


def work(number):
    loop.run_until_complete(step(number))
    if program.FIXED:
        loop._scheduled.clear()


if __name__ == "__main__":
    program.run(work, loop._scheduled.clear)
