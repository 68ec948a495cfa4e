"""A scope is activated and never closed, so each keeps the one before it.

https://github.com/lightstep/lightstep-tracer-python/issues/74
"""

import program

HOLDERS = ("__main__.manager.active.previous", "__main__.manager.active")


class Scope:
    def __init__(self, manager, span):
        self.span = span
        self.manager = manager
        self.previous = manager.active
        manager.active = self

    def close(self):
        self.manager.active = self.previous


class Manager:
    active = None


manager = Manager()


def work(number):
    scope = Scope(manager, {"operation": "request", "tags": ["t"] * 50})
    if program.FIXED:
        scope.close()


def let_go():
    manager.active = None


if __name__ == "__main__":
    program.run(work, let_go)
