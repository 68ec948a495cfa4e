"""Eight entries of a load test keep each response time, with what was asked.

https://github.com/locustio/locust/issues/2045
"""

import program

HOLDERS = ("__main__.stats.entries[*].history[*]",)


class Entry:
    def __init__(self, name):
        self.name = name
        self.history = []


class Stats:
    def __init__(self):
        self.entries = {(f"/path/{n}", "GET"): Entry(f"/path/{n}") for n in range(8)}


stats = Stats()


def work(number):
    entry = stats.entries[f"/path/{number % 8}", "GET"]
    if program.FIXED:
        entry.history.clear()
    entry.history.append({"time": number * 1.5, "user": f"u{number}" * 60})


def let_go():
    for entry in stats.entries.values():
        entry.history.clear()


if __name__ == "__main__":
    program.run(work, let_go)
