"""A subclass of threading.local, in threads that wait for more to do."""

import sys
import threading

import numpy

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


class Scratch(threading.local):
    def __init__(self):
        self.rows = [numpy.zeros(5000)]


scratch = Scratch()
done = threading.Event()
ready = threading.Barrier(11)


def work():
    scratch.rows.append(numpy.ones(5000))
    if fixed:
        scratch.rows.clear()
    ready.wait()
    done.wait()


threads = [threading.Thread(target=work) for _ in range(10)]
for thread in threads:
    thread.start()
ready.wait()
print(leakgraph.findings())
done.set()
