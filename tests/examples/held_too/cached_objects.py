"""A cache keeps objects, with results of their own that are no arrays."""

import functools
import sys

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


class Page:
    """Has data, and a copy of it."""

    def __init__(self) -> None:
        """Make the data."""
        self.data = bytearray(100_000)

    @functools.cache  # noqa: B019
    def size(self) -> int:
        """Count the bytes."""
        return len(self.data)

    @functools.cached_property
    def copy(self) -> bytes:
        """Copy the bytes."""
        return bytes(self.data)


for _ in range(10):
    page = Page()
    print(page.size(), len(page.copy), file=sys.stderr)
del page
if fixed:
    Page.size.cache_clear()

print(leakgraph.findings())
