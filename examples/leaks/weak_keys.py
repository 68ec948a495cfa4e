"""A WeakKeyDictionary whose values refer to their own keys: no entry ever goes.

python examples/leaks/weak_keys.py [fixed]
"""

import sys
import weakref

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
sessions = weakref.WeakKeyDictionary()


class Request:
    """A request with its body."""

    def __init__(self):
        self.body = bytearray(10_000)


class Session:
    """What the server knows of a request."""

    def __init__(self, request):
        self.request = weakref.ref(request) if fixed else request


for _ in range(20):
    request = Request()
    sessions[request] = Session(request)
del request

print(leakgraph.findings())
