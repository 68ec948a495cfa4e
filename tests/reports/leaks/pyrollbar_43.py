"""Each record of a history of ten keeps the history that it found.

https://github.com/rollbar/pyrollbar/pull/43
"""

import collections

import program

HOLDERS = (
    "__main__.history[*].history[*]",
    "__main__.history[*].history",
    "__main__.history[*]",
)


class Record:
    def __init__(self, number):
        self.message = f"request {number} " * 20
        self.history = []


history = collections.deque(maxlen=10)


def work(number):
    record = Record(number)
    if not program.FIXED:
        record.history = list(history)
    history.append(record)


def let_go():
    for record in history:
        record.history = []
    history.clear()


if __name__ == "__main__":
    program.run(work, let_go)
