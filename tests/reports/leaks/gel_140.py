"""A group that lives as long as the server keeps each task that it has started.

https://github.com/geldata/gel-python/pull/140
"""

import asyncio

import program

HOLDERS = ("__main__.group.tasks[*]",)
FINDINGS = ("done-tasks", "unawaited-tasks", "finished-tasks")

loop = asyncio.new_event_loop()


class Group:
    def __init__(self):
        self.tasks = set()

    def start(self, coroutine):
        task = loop.create_task(coroutine)
        self.tasks.add(task)
        if program.FIXED:
            task.add_done_callback(self.tasks.discard)
        return task


group = Group()


async def handle(number):
    await asyncio.sleep(0)
    return "x" * 2000 + str(number)


def work(number):
    loop.run_until_complete(group.start(handle(number)))


if __name__ == "__main__":
    program.run(work, group.tasks.clear)
