"""Writers of events that nobody closes leave a thread each, with its queue and buffer.

https://github.com/pytorch/pytorch/issues/61186
"""

import queue
import threading

import program

HOLDERS = ("thread ",)
FINDINGS = ("endless-threads",)

writers = []


class Writer(threading.Thread):
    def __init__(self):
        super().__init__(daemon=True)
        self.queue = queue.Queue(20)
        self.buffer = bytearray(8000)
        self.start()

    def run(self):
        while self.queue.get() is not None:
            pass

    def close(self):
        self.queue.put(None)
        self.join()


def work(number):
    writer = Writer()
    writer.queue.put("loss")
    if program.FIXED:
        writer.close()


def let_go():
    for thread in threading.enumerate():
        if isinstance(thread, Writer):
            thread.close()


if __name__ == "__main__":
    program.run(work, let_go)
