"""A future's exception, deep down, with arrays in a dict among the locals."""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy

import leakgraph

fixed = sys.argv[1:] == ["fixed"]


def load(part):
    tables = {"rows": numpy.ones((100, 1000)), "part": part}
    return parse(tables)


def parse(tables):
    columns = [tables["rows"].T.copy()]
    raise KeyError(f"no column {len(columns)}")


def main():
    with ThreadPoolExecutor(1) as pool:
        jobs = {part: pool.submit(load, part) for part in ("a", "b")}
        results = {part: job.exception() for part, job in jobs.items()}
        if fixed:
            results = {part: repr(error) for part, error in results.items()}
    return results


results = main()
print(leakgraph.findings())
