"""A cache keyed by id(object): a key stays when its object dies.

python examples/leaks/id_keyed_cache.py [fixed]
"""

import sys
import weakref

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


class Page:
    """Something to draw."""


drawn = weakref.WeakKeyDictionary() if fixed else {}


def draw(page):
    """The pixels of a page."""
    key = page if fixed else id(page)
    if key not in drawn:
        drawn[key] = bytearray(10_000)
    return drawn[key]


for _ in range(3):
    pages = [Page() for _ in range(20)]
    for page in pages:
        draw(page)

del pages, page
print(leakgraph.findings())
