"""Requests add a callback to the future of the server's end, and do not remove it.

https://github.com/python/cpython/issues/155143
"""

import asyncio

import program

HOLDERS = ("__main__.closing._callbacks[*]", "__main__.closing callbacks[*]")
FINDINGS = ("event-handlers",)

loop = asyncio.new_event_loop()
closing = loop.create_future()
callbacks = []


def serve(number):
    body = bytearray(2200)

    def abort(future):
        body.clear()

    closing.add_done_callback(abort)
    return abort


def let_go():
    while closing._callbacks:
        closing.remove_done_callback(closing._callbacks[0][0])


def work(number):
    abort = serve(number)
    if program.FIXED:
        closing.remove_done_callback(abort)


if __name__ == "__main__":
    program.run(work, let_go)
