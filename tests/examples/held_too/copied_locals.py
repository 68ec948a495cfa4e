"""Kept exceptions, of whose variables a log made copies."""

import sys

import leakgraph

fixed = sys.argv[1:] == ["fixed"]
errors = []


def parse() -> None:
    """Fail with much in its variables."""
    rows = bytearray(200_000)
    texts = [bytes(rows).decode() for _ in range(2)]
    raise ValueError(f"{len(rows)} of {len(texts)}")


def names_of(error: BaseException) -> list[str]:
    """Name the variables of the function that failed."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return [] if trace is None else sorted(trace.tb_frame.f_locals)


for _ in range(5):
    try:
        parse()
    except ValueError as error:
        print(names_of(error), file=sys.stderr)
        errors.append(error.with_traceback(None) if fixed else error)

print(leakgraph.findings())
