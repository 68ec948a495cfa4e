"""A service compiles ever new patterns, and the cache of re has a limit."""

import re

import program


def work(number):
    for place in range(30):
        re.search(f"a{number}-{place}+b", "nothing of the kind")


if __name__ == "__main__":
    program.run(work, re.purge)
