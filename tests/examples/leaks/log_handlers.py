"""The root logger, configured once more at each start of a worker."""

import logging
import os
import sys

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


def start():
    root = logging.getLogger()
    if fixed and root.handlers:
        return
    handler = logging.FileHandler(os.devnull)
    handler.setFormatter(logging.Formatter("%(message)s"))
    root.addHandler(handler)


for _ in range(8):
    start()
print(leakgraph.findings())
