"""A registry knows objects for as long as they live."""

import weakref

import program

registry = weakref.WeakValueDictionary()


class Session:
    def __init__(self, number):
        self.data = bytearray(2000)
        registry[number] = self


def work(number):
    sessions = [Session(number * 5 + each) for each in range(5)]
    assert len(registry) >= len(sessions)


if __name__ == "__main__":
    program.run(work, registry.clear)
