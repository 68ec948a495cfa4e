"""Generators that nobody runs to their end: each keeps what its block reads.

python examples/leaks/unfinished_generators.py [fixed]
"""

import sys

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


def lines(number):
    """Yields the lines of a file."""
    content = bytearray(10_000 + number)
    for start in range(0, len(content), 80):
        yield content[start : start + 80]


readers = []
for number in range(20):
    reader = lines(number)
    first = next(reader)
    readers.append(reader)
    if fixed:
        reader.close()

print(leakgraph.findings())
