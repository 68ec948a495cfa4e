"""Short-lived sessions register handlers with a long-lived one, and never remove them.

https://github.com/boto/boto3/issues/2176
"""

import program

HOLDERS = ("__main__.core.handlers[*][*]",)
FINDINGS = ("event-handlers",)


class Core:
    def __init__(self):
        self.handlers = {"before-call": [], "after-call": []}


class Session:
    def __init__(self, core):
        self.core = core
        self.resources = {str(number): number for number in range(40)}
        core.handlers["before-call"].append(self.inject)

    def inject(self, **kwargs):
        return self.resources

    def close(self):
        self.core.handlers["before-call"].remove(self.inject)


core = Core()


def work(number):
    session = Session(core)
    if program.FIXED:
        session.close()


def let_go():
    core.handlers["before-call"].clear()


if __name__ == "__main__":
    program.run(work, let_go)
