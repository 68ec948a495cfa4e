"""A watched program that keeps streams of zlib. Prints what the watch says."""

import zlib

from leakgraph.watching import Watch

kept = []


class Clock:
    """A clock that the program sets."""

    now = 0.0

    def __call__(self):
        """Return the time, a little later each time."""
        Clock.now += 0.01
        return Clock.now


watch = Watch(
    1.0,
    lambda row, growth: print(row.held_by, row.verdict, flush=True),
    clock=Clock(),
    work=lambda: 0.0,
    background=False,
)
for _ in range(400):
    kept.append(zlib.compressobj())
    Clock.now += 0.1
    watch.step()
    if watch.leaks:
        break
print(watch.report())
