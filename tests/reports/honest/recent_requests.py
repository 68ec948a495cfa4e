"""A deque keeps the last twenty requests."""

import collections

import program

recent = collections.deque(maxlen=20)


def work(number):
    recent.append({"number": number, "path": f"/item/{number}", "body": "x" * 2000})


if __name__ == "__main__":
    program.run(work, recent.clear)
