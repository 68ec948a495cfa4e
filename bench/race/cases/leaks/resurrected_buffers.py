"""Buffers that die return to a pool by their size, and no size is asked for again.

https://docs.python.org/3/reference/datamodel.html#object.__del__
"""

import program

HOLDERS = ("__main__.pool[*][*]", "__main__.pool[*]")

pool = {}


class Buffer:
    def __init__(self, size):
        self.data = bytearray(size)

    def __del__(self):
        if not program.FIXED:
            pool.setdefault(len(self.data), []).append(self)


def work(number):
    Buffer(3000 + number)


if __name__ == "__main__":
    program.run(work, pool.clear)
