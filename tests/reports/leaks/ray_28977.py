"""asyncio.wait(FIRST_COMPLETED) leaves a task that waits for an event that never comes.

https://github.com/ray-project/ray/issues/28977
"""

import asyncio

import program

HOLDERS = ("__main__.closed._waiters[*]", "__main__.loop", "asyncio")

loop = asyncio.new_event_loop()
closed = asyncio.Event()


async def poll(number):
    message = asyncio.ensure_future(asyncio.sleep(0, result="x" * 1000))
    closing = asyncio.ensure_future(closed.wait())
    await asyncio.wait({message, closing}, return_when=asyncio.FIRST_COMPLETED)
    if program.FIXED:
        closing.cancel()
        await asyncio.gather(closing, return_exceptions=True)


def work(number):
    loop.run_until_complete(poll(number))


def let_go():
    closed.set()
    loop.run_until_complete(asyncio.sleep(0))
    loop.run_until_complete(asyncio.sleep(0))


if __name__ == "__main__":
    program.run(work, let_go)
