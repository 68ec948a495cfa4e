"""Programs whose memory grows in C code: the holder is told, and the rate.

All leaks grow in one process, where each may take what another has. All honest programs
run in another.
"""

import json
import sys

import pytest
from builds import FREE_THREADED

pytestmark = [
    pytest.mark.ends,
    pytest.mark.skipif(
        FREE_THREADED, reason="a free-threaded build is not captured in a forked child"
    ),
]

#: The rate of what is told, and how much of all growth others may be charged with.
RATE, INNOCENT = 0.1, 0.05

KEPT = [
    *("sessions", "statements", "contexts", "handshakes", "unread", "parsers"),
    *("deflaters", "inflaters", "archives", "digests", "readers", "buffers"),
    *("handles", "pointers", "images", "foreign", "keys", "maps", "structures"),
    *("classes", "trees", "patterns"),
]
PLACES = {
    **{name: f"__main__.program.{name}[*]" for name in KEPT},
    "statements": "__main__.program.database",
}
#: What nothing holds, by its type.
LOST = {
    "lost": "608-byte block",
    "forgotten": "__main__.Message",
    "forgotten_bytes": "hidden bytes",
}


def run(isolated, compiled, kind):
    """Run all programs of a kind."""
    modules = [
        compiled("native_shapes.c", "-O1"),
        compiled("native_classes.cpp", "-O1", "-std=c++17", "-Wl,-Bsymbolic"),
    ]
    done = isolated("native_programs.py", kind, "repeat", *modules)
    assert done.code == 0, done.err
    return json.loads(done.out)


@pytest.fixture(scope="module")
def leaks(isolated, compiled):
    """What is told of the programs that leak."""
    return run(isolated, compiled, "leaks")


def rate_of(rows):
    """Add up what rows tell for a call."""
    return sum(row["rate"] for row in rows)


@pytest.mark.parametrize("name", KEPT)
def test_what_C_code_allocates_is_charged_to_who_keeps_it(leaks, name):
    if name not in leaks["truth"]:
        pytest.skip(f"the library of {name} is not installed")
    if name in ("sessions", "statements") and sys.version_info < (3, 10):
        pytest.skip("the collector of 3.9 knows neither connections nor statements")
    rows = [row for row in leaks["rows"] if row["holder"].startswith(PLACES[name])]
    assert rate_of(rows) == pytest.approx(leaks["truth"][name], rel=RATE)


@pytest.mark.parametrize("name", LOST)
def test_what_C_code_loses_is_told_by_its_type(leaks, name):
    (row,) = [
        row
        for row in leaks["rows"]
        if row["holder"] == "lost native memory" and row["type"] == LOST[name]
    ]
    assert row["rate"] == pytest.approx(leaks["truth"][name], rel=RATE)
    assert ("Py_DECREF" in row["fix"]) == (name != "lost")


def test_what_C_code_loses_in_many_sizes_is_one_row(leaks):
    (row,) = [
        row
        for row in leaks["rows"]
        if row["holder"] == "lost native memory" and " more accumulates" in row["text"]
    ]
    assert row["rate"] == pytest.approx(leaks["truth"]["copies"], rel=RATE)


def test_others_are_charged_with_nothing(leaks):
    known = (*PLACES.values(), "lost native memory")
    others = [row for row in leaks["rows"] if not row["holder"].startswith(known)]
    assert rate_of(others) <= INNOCENT * rate_of(leaks["rows"]), others


def test_nobody_is_told_to_cut_what_is_lost(leaks):
    assert "cut lost native memory" not in leaks["text"]


def test_programs_that_keep_nothing_are_not_accused(isolated, compiled):
    told = run(isolated, compiled, "honest")
    assert [row for row in told["rows"] if not row["minor"]] == []
    assert not told["needs_native"]
