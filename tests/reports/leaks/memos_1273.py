"""Each request makes an executor, and one of its tasks never returns.

https://github.com/MemTensor/MemOS/issues/1273
"""

import threading
from concurrent.futures import ThreadPoolExecutor

import program

HOLDERS = ("thread ",)
FINDINGS = ("endless-threads",)

release = threading.Event()
shared = ThreadPoolExecutor(max_workers=2)


class Searcher:
    def backend(self, slow):
        scratch = bytearray(50_000)
        if slow and not program.FIXED:
            release.wait()
        return len(scratch)

    def search(self):
        pool = shared if program.FIXED else ThreadPoolExecutor(max_workers=2)
        quick, _ = (pool.submit(self.backend, slow) for slow in (False, True))
        return quick.result()


searcher = Searcher()


def work(number):
    searcher.search()


def let_go():
    release.set()
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and "Executor" in thread.name:
            thread.join(1)


if __name__ == "__main__":
    program.run(work, let_go)
    release.set()
