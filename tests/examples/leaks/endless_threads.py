"""Subclasses of Thread, each of which waits for work of its own queue."""

import queue
import sys
import threading

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


class Sender(threading.Thread):
    def __init__(self):
        super().__init__(daemon=True)
        self.jobs = queue.Queue()

    def run(self):
        while self.jobs.get() is not None:
            pass


def send(job):
    sender = Sender()
    sender.start()
    sender.jobs.put(job)
    if fixed:
        sender.jobs.put(None)
        sender.join()


for number in range(18):
    send(number)
print(leakgraph.findings())
