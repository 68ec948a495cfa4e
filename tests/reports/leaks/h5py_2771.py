"""A registry maps identifiers to weak references, and never removes the dead ones.

https://github.com/h5py/h5py/issues/2771
"""

import weakref

import program

HOLDERS = ("__main__.registry[*]",)

registry = {}


class ObjectID:
    def __init__(self, number):
        forget = (lambda _: registry.pop(number, None)) if program.FIXED else None
        registry[number] = weakref.ref(self, forget)


def work(number):
    for part in range(50):
        ObjectID(number * 50 + part)


if __name__ == "__main__":
    program.run(work, registry.clear)
