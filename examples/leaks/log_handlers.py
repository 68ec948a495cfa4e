"""A handler of a logger for each job: none is removed, and each writes every message.

python examples/leaks/log_handlers.py [fixed]
"""

import io
import logging
import sys

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
logger = logging.getLogger("jobs")


def job(number):
    """Log to a stream of its own."""
    handler = logging.StreamHandler(io.StringIO())
    logger.addHandler(handler)
    logger.warning("job %d", number)
    if fixed:
        logger.removeHandler(handler)
        handler.close()


for number in range(10):
    job(number)

print(leakgraph.findings())
