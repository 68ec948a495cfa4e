"""A queue handler puts records into a queue that nobody reads.

https://docs.python.org/3/library/logging.handlers.html#queuehandler
"""

import logging
import logging.handlers
import queue

import program

HOLDERS = ("__main__.records.queue[*]", "__main__.records")
NATIVE = True

records = queue.Queue()
logger = logging.getLogger("audit")
logger.addHandler(logging.handlers.QueueHandler(records))
logger.propagate = False


def work(number):
    logger.warning("request %d %s", number, "y" * 1000)
    if program.FIXED:
        records.get()


def let_go():
    while not records.empty():
        records.get()


if __name__ == "__main__":
    program.run(work, let_go)
