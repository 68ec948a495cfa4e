"""A cached function takes a frame, which keeps the locals of its callers.

https://github.com/lovasoa/marshmallow_dataclass/issues/198
"""

import functools
import sys

import program

HOLDERS = ("__main__.build.cache key", "__main__.build.cache key[*]")
FINDINGS = ("lru-cache",)


@functools.cache
def build(name, frame):
    return {"name": name}


def view(number):
    body = [f"row {row} of {number}" for row in range(100)]
    build("Order", None if program.FIXED else sys._getframe())
    return len(body)


def work(number):
    view(number)


if __name__ == "__main__":
    program.run(work, build.cache_clear)
