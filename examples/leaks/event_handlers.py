"""A registry of bound methods: the bus keeps every view that ever listened.

python examples/leaks/event_handlers.py [fixed]
"""

import sys

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


class Bus:
    """Calls its listeners."""

    def __init__(self):
        self.listeners = {"resized": [], "closed": []}

    def on(self, event, listener):
        """Register a listener."""
        self.listeners[event].append(listener)

    def off(self, event, listener):
        """Remove a listener."""
        self.listeners[event].remove(listener)


class View:
    """Listens while it is open."""

    def __init__(self, bus):
        self.pixels = bytearray(20_000)
        bus.on("resized", self.draw)

    def draw(self):
        """Draw."""

    def close(self, bus):
        """Stop listening."""
        if fixed:
            bus.off("resized", self.draw)


bus = Bus()
for _ in range(20):
    View(bus).close(bus)

print(leakgraph.findings())
