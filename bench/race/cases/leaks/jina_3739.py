"""Each update enters a new pod on the stack of a flow, and no old one leaves it.

https://github.com/jina-ai/serve/issues/3739
"""

import contextlib

import program

HOLDERS = ("__main__.flow._exit_callbacks[*]", "__main__.flow")


class Pod:
    def __init__(self, number):
        self.state = {"name": f"pod-{number}", "weights": bytearray(2500)}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.state.clear()


flow = contextlib.ExitStack()
serving = None


def work(number):
    global serving
    if program.FIXED:
        flow.close()
    serving = flow.enter_context(Pod(number))


def let_go():
    global serving
    flow.close()
    serving = None


if __name__ == "__main__":
    program.run(work, let_go)
