"""A set keeps tasks while they run."""

import asyncio

import program

loop = asyncio.new_event_loop()
running = set()


async def handle(number):
    await asyncio.sleep(0)
    return "x" * 2000 + str(number)


async def serve(number):
    task = asyncio.ensure_future(handle(number))
    running.add(task)
    task.add_done_callback(running.discard)
    await task


def work(number):
    loop.run_until_complete(serve(number))


if __name__ == "__main__":
    program.run(work, running.clear)
