"""Threads that wait, with data in the arguments that they were started with."""

import sys
import threading

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
waiting = []


class Page:
    """Has data."""

    def __init__(self) -> None:
        """Make the data."""
        self.data = bytearray(50_000)


def serve(closed: threading.Event, page: Page, /, **options: Page) -> None:
    """Wait, without the arguments."""
    del page, options
    closed.wait()


for _ in range(20):
    waiting.append(threading.Event())
    threading.Thread(
        target=serve,
        args=(waiting[-1], Page()),
        kwargs={"first": Page()},
        daemon=True,
    ).start()
if fixed:
    for closed in waiting:
        closed.set()
    for thread in threading.enumerate()[1:]:
        thread.join()
    del thread, closed

print(leakgraph.findings())
