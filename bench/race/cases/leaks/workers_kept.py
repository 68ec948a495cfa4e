"""A parent keeps the handle of each forked worker, with the worker's task.

https://docs.python.org/3/library/multiprocessing.html#multiprocessing.Process.close
"""

import multiprocessing

import program

HOLDERS = ("__main__.workers[*]",)

fork = multiprocessing.get_context("fork")
workers = []


def work(number):
    worker = fork.Process(target=len, args=("t" * 4000 + str(number),))
    worker._popen = None
    if not program.FIXED:
        workers.append(worker)


if __name__ == "__main__":
    program.run(work, workers.clear)
