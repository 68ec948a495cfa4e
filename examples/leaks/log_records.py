"""A MemoryHandler without a target: it keeps each record, with its arguments.

python examples/leaks/log_records.py [fixed]
"""

import logging
import logging.handlers
import sys

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
recent = logging.handlers.MemoryHandler(capacity=10)
if fixed:
    recent.setTarget(logging.NullHandler())
logger = logging.getLogger("server")
logger.setLevel(logging.INFO)
logger.propagate = False
logger.addHandler(recent)

for _ in range(40):
    logger.info("received %.20s", bytes(10_000))

print(leakgraph.findings())
