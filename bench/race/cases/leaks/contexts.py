"""A middleware sets a context variable, and keeps the token that would reset it.

https://docs.python.org/3/library/contextvars.html#contextvars.Token
"""

import contextvars

import program

HOLDERS = ("__main__.tokens[*]",)

current = contextvars.ContextVar("current", default=None)
tokens = []


class Request:
    def __init__(self):
        self.body = bytearray(2500)


def work(number):
    token = current.set(Request())
    if program.FIXED:
        current.reset(token)
    else:
        tokens.append(token)


if __name__ == "__main__":
    program.run(work, tokens.clear)
