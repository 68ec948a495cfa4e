"""A counter has a child for each user, and no child is ever removed.

https://github.com/BerriAI/litellm/issues/12159
"""

import threading

import program

HOLDERS = ("__main__.requests._metrics[*]",)


class Counter:
    def __init__(self, labels=()):
        self._labels = labels
        self._lock = threading.Lock()
        self._metrics = {}
        self._buckets = [[0.0, threading.Lock()] for _ in range(12)] if labels else []

    def labels(self, *values):
        with self._lock:
            if values not in self._metrics:
                self._metrics[values] = Counter(values)
            return self._metrics[values]


requests = Counter()


def work(number):
    requests.labels("POST", "u7" if program.FIXED else f"u{number}")


if __name__ == "__main__":
    program.run(work, requests._metrics.clear)
