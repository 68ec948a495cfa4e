"""A handler logs into a stream in memory, which nobody empties."""

import io
import logging

import program

HOLDERS = ("__main__.stream", "__main__.handler.stream")
NATIVE = True

stream = io.StringIO()
handler = logging.StreamHandler(stream)
logger = logging.getLogger("service")
logger.addHandler(handler)
logger.propagate = False


def empty():
    stream.seek(0)
    stream.truncate()


def let_go():
    global stream
    stream = handler.stream = io.StringIO()


def work(number):
    logger.warning("request %d %s", number, "x" * 3000)
    if program.FIXED:
        empty()


if __name__ == "__main__":
    program.run(work, let_go)
