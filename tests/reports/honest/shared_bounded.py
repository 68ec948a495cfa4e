"""Two deques with a limit share their requests, and are full."""

import collections

import program

recent, audit = collections.deque(maxlen=200), collections.deque(maxlen=200)


def work(number):
    request = {"n": f"{number:06}", "pad": "x" * 200}
    recent.append(request)
    audit.append(request)


for number in range(300):
    work(number)

if __name__ == "__main__":
    program.run(work, recent.clear)
