"""Mistakes that share what they keep are told together: all named, with what goes if
all are fixed, and what each frees alone.

Each script of `joint/` has two such holders.
"""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.libraries

SCRIPTS = Path(__file__).with_name("joint")
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}

# The patterns and holders, the least that goes together, and the most alone.
EXPECTED = {
    "two_lists": (
        {"__main__.errors", "__main__.penalties"},
        ["loss-history"],
        2 << 20,
        64 << 10,
    ),
    "list_and_average": (
        {"__main__.average", "__main__.val_losses"},
        ["running-total", "loss-history"],
        1 << 20,
        64 << 10,
    ),
    "two_caches": (
        {"__main__.Image.mean", "__main__.Image.peak"},
        ["lru-cache"],
        3 * 8 * 256 * 256,
        1024,
    ),
    "tracebacks": (
        {"__main__.first", "__main__.second"},
        ["exception-traceback"],
        8 * 256 * 256,
        0,
    ),
    "waiting_tasks": (
        {"__main__.pool.by_number", "__main__.pool.order"},
        ["unawaited-tasks"],
        20 * 10_000,
        4096,
    ),
    "ended_tasks": (
        {"__main__.history", "__main__.results"},
        ["done-tasks"],
        20 * 10_000,
        4096,
    ),
    "open_readers": (
        {"__main__.live", "__main__.by_name"},
        ["unfinished-generators"],
        20 * 10_000,
        4096,
    ),
    "last_error": (
        {"sys.last_value", "sys.last_traceback"},
        ["exception-traceback"],
        8 * 256 * 256,
        0,
    ),
    # The parameters, their gradients, and three copies of them in states.
    "two_optimizers": (
        {"__main__.optimizer", "__main__.warm_up"},
        ["stale-optimizer"],
        5 * 4 * 512 * 65,
        2 * 4 * 512 * 65 + 4096,
    ),
}


def size(text):
    number, unit = text.split()
    return float(number) * UNITS[unit]


@pytest.mark.parametrize("name", EXPECTED)
def test_told_together(warm, name):
    holders, patterns, together, alone = EXPECTED[name]
    done = warm.run(SCRIPTS / f"{name}.py")
    assert done.code == 0, done.err
    assert done.out.startswith("1 finding\n"), done.out
    pattern, whole = re.findall(r"^([a-z-]+): ([\d.]+ \w+),", done.out, re.M)[0]
    assert pattern == patterns[0] and size(whole) >= 0.99 * together
    places = r"(?:held by|and by)  ?(\S+)  .*, which frees ([\d.]+ \w+) alone$"
    found = dict(re.findall(places, done.out, re.M))
    assert set(found) == holders, done.out
    assert max(size(one) for one in found.values()) <= alone
    told = re.findall(r"^(?:  cause|  fix  |       )    ([a-z-]+): ", done.out, re.M)
    assert told == (2 * patterns if len(patterns) > 1 else [])


@pytest.mark.parametrize("name", EXPECTED)
def test_fixed(warm, name):
    done = warm.run(SCRIPTS / f"{name}.py", "fixed")
    assert done.code == 0 and done.out.startswith("No known mistake was recognised.\n")
