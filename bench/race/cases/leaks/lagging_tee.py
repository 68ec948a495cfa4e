"""One iterator of a tee is not read, so the tee keeps all that the other has read.

https://docs.python.org/3/library/itertools.html#itertools.tee
"""

import itertools

import program

HOLDERS = ("__main__.audited",)

served, audited = itertools.tee(bytes(400) for _ in itertools.count())


def work(number):
    for _ in range(5):
        next(served)
        if program.FIXED:
            next(audited)


def let_go():
    global audited
    audited = None


if __name__ == "__main__":
    program.run(work, let_go)
