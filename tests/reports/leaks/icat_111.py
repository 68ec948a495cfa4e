"""A class keeps each of its clients in a register, by its identifier.

https://github.com/icatproject/python-icat/issues/111
"""

import weakref

import program

HOLDERS = ("__main__.Client.Register[*]",)
FINDINGS = ("id-keyed-cache",)


class Client:
    Register = weakref.WeakValueDictionary() if program.FIXED else {}

    def __init__(self):
        self.types = {f"entity{number}": number for number in range(50)}
        Client.Register[id(self)] = self


def work(number):
    Client()


if __name__ == "__main__":
    program.run(work, Client.Register.clear)
