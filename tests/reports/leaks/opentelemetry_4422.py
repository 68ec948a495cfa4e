"""Each processor registers a method to be called in forked children, for ever.

https://github.com/open-telemetry/opentelemetry-python/issues/4422
"""

import gc
import os
import types
import weakref

import program

HOLDERS = (
    "interpreter state after_forkers_child[*]",
    "interpreter state fork handlers",
)
FINDINGS = ("event-handlers",)


class Processor:
    def __init__(self):
        self.queue = bytearray(4000)
        if not program.FIXED:
            os.register_at_fork(after_in_child=self.reset)
        elif not hasattr(Processor, "latest"):
            os.register_at_fork(after_in_child=lambda: Processor.latest().reset())
        Processor.latest = weakref.ref(self)

    def reset(self):
        self.queue.clear()


def work(number):
    Processor()


def referrers(to, of):
    gc.collect()
    return [each for each in gc.get_referrers(to) if type(each) is of]


def let_go():
    if not program.FIXED:
        [method] = referrers(Processor.latest(), types.MethodType)
        [handlers] = referrers(method, list)
        handlers.clear()


if __name__ == "__main__":
    program.run(work, let_go)
