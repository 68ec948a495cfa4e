"""A worker thread keeps each batch in its thread-local list."""

import queue
import threading

import program

HOLDERS = (
    "__main__.local.batches[*]",
    "thread ",
    "__main__.local.__dict__['batches'][*]",
)

local = threading.local()
inbox, outbox = queue.Queue(), queue.Queue()


def worker():
    local.batches = []
    while (number := inbox.get()) is not None:
        if number < 0 or program.FIXED:
            local.batches.clear()
        else:
            local.batches.append(bytearray(4000))
        outbox.put(number)


thread = threading.Thread(target=worker, daemon=True)


def work(number):
    if thread.ident is None:
        thread.start()
    inbox.put(number)
    outbox.get()


if __name__ == "__main__":
    program.run(work, lambda: work(-1))
