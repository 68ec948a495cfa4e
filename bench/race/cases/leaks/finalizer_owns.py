"""A finalizer's argument refers to its object, so that the object never dies.

https://docs.python.org/3/library/weakref.html#finalizer-objects
"""

import weakref

import program

HOLDERS = ("weakref.finalize._registry[*]",)


class Resource:
    def __init__(self):
        self.data = bytearray(5000)
        if program.FIXED:
            weakref.finalize(self, print, end="")
        else:
            weakref.finalize(self, self.close)

    def close(self):
        self.data.clear()


def work(number):
    Resource()


if __name__ == "__main__":
    program.run(work, weakref.finalize._registry.clear)
