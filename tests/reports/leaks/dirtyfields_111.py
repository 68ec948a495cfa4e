"""Each object waits, by a finalizer, for the end of a function that never ends.

https://github.com/romgar/django-dirtyfields/pull/111
"""

import weakref

import program

HOLDERS = ("weakref.finalize._registry[*]",)


class Receiver:
    def __call__(self, instance):
        pass


class Signal:
    def __init__(self):
        self.receivers = {}

    def connect(self, receiver):
        self.receivers[id(receiver)] = weakref.ref(receiver)
        if not program.FIXED:
            weakref.finalize(receiver, self.remove, id(receiver), object())

    def remove(self, key, token):
        self.receivers.pop(key, None)


signal = Signal()
reset_state = Receiver()


class Model:
    def __init__(self):
        signal.connect(reset_state)


def work(number):
    for _ in range(4):
        Model()


def let_go():
    weakref.finalize._registry.clear()


if __name__ == "__main__":
    program.run(work, let_go)
