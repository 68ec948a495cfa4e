"""Each request sets a timer of an hour, and does not cancel it when it is done.

https://docs.python.org/3/library/asyncio-eventloop.html#asyncio.loop.call_later
"""

import asyncio

import program

HOLDERS = ("__main__.loop._scheduled[*]",)

loop = asyncio.new_event_loop()


class Request:
    def __init__(self):
        self.body = bytearray(2000)

    def expire(self):
        self.body.clear()


async def handle():
    timer = loop.call_later(3600, Request().expire)
    await asyncio.sleep(0)
    if program.FIXED:
        timer.cancel()
        loop._scheduled.clear()


def work(number):
    loop.run_until_complete(handle())


if __name__ == "__main__":
    program.run(work, loop._scheduled.clear)
