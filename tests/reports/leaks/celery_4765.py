"""A result backend keeps the messages of each task, also when nobody asks for them.

https://github.com/celery/celery/issues/4765
"""

import collections

import program

HOLDERS = (
    "__main__.backend._pending_messages[*]",
    "__main__.backend._pending_messages[*][*]",
)


class Backend:
    def __init__(self):
        self._pending_messages = {}

    def on_message(self, task, message):
        self._pending_messages.setdefault(task, collections.deque()).append(message)

    def forget(self, task):
        self._pending_messages.pop(task, None)


backend = Backend()


def work(number):
    task = f"task-{number}"
    backend.on_message(task, {"id": task, "status": "SUCCESS", "result": "x" * 2000})
    if program.FIXED:
        backend.forget(task)


if __name__ == "__main__":
    program.run(work, backend._pending_messages.clear)
