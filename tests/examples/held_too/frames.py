"""Kept exceptions, whose frames have texts beside their arrays."""

import sys

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
errors = []


def parse() -> None:
    """Fail with much in its variables."""
    rows = bytearray(200_000)
    text = bytes(rows).decode()
    raise ValueError(f"{len(rows)} of {len(text)}")


for _ in range(5):
    try:
        parse()
    except ValueError as error:
        errors.append(error.with_traceback(None) if fixed else error)

print(leakgraph.findings())
