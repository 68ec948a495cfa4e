"""Threads that wait in methods of objects with data."""

import sys
import threading

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
waiting = []


class Client:
    """Waits until it is closed."""

    def __init__(self) -> None:
        """Start to wait."""
        self.data = bytearray(100_000)
        self.closed = threading.Event()
        waiting.append(self.closed)
        threading.Thread(target=self.wait, args=(self.closed,), daemon=True).start()

    def wait(self, closed: threading.Event) -> None:
        """Wait with the data."""
        closed.wait()


for _ in range(20):
    Client()
if fixed:
    for closed in waiting:
        closed.set()
    for thread in threading.enumerate()[1:]:
        thread.join()
    del thread, closed

print(leakgraph.findings())
