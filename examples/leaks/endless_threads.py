"""A thread for each client, which waits for an event that nobody sets.

python examples/leaks/endless_threads.py [fixed]
"""

import sys
import threading

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


class Client:
    """Sends a sign of life until it is closed."""

    def __init__(self):
        self.closed = threading.Event()
        self.thread = threading.Thread(target=self.beat, daemon=True)
        self.thread.start()

    def beat(self):
        """Send signs of life."""
        self.closed.wait()

    def close(self):
        """End the thread: the client is gone."""
        if fixed:
            self.closed.set()
            self.thread.join()


for _ in range(20):
    Client().close()

print(leakgraph.findings())
