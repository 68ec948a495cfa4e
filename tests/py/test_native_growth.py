"""Native memory that grows is charged to the place that keeps it, or is lost."""

import json
import os
import re

import pytest
from builds import FREE_THREADED

import leakgraph

pytestmark = [
    pytest.mark.ends,
    pytest.mark.skipif(
        FREE_THREADED, reason="a free-threaded build is not captured in a forked child"
    ),
]

#: Bytes that a stream of zlib has for its window, its hash tables and its output.
STREAM = 268_000
#: A block of 600 bytes, as malloc gives it out.
BLOCK = 608


@pytest.fixture(scope="module")
def told(isolated):
    """What repeat() tells of each kind of work."""
    done = isolated("native_repeats.py")
    assert done.code == 0, done.err
    return json.loads(done.out)


def test_growth_names_who_keeps_native_memory(told):
    holder, kind, rate, fix, counts = told["kept"]["rows"][0]
    assert holder == "__main__.program.streams[*]"
    assert kind == "zlib.Compress"
    assert rate == pytest.approx(STREAM, rel=0.1)
    assert fix is None
    assert [b - a for a, b in zip(counts, counts[1:])] == [4, 4, 4]
    assert told["kept"]["unexplained"] < STREAM
    assert re.search(
        r"each with about 26\d KiB of native memory in \d blocks", told["kept"]["text"]
    )


def test_blocks_that_C_code_loses_are_counted(told):
    holder, kind, rate, fix, counts = told["lost"]["rows"][0]
    assert holder == "lost native memory"
    assert kind.startswith(f"{BLOCK}-byte block")
    assert rate == pytest.approx(500 * BLOCK, rel=0.1)
    assert counts[-1] - counts[0] == pytest.approx(6000, rel=0.05)
    assert "No pointer in the process leads to these blocks" in fix


@pytest.mark.skipif(
    "PYTHONMALLOC" in os.environ, reason="objects lie in blocks of pymalloc"
)
def test_objects_that_C_code_loses_are_named(told):
    holder, kind, rate, fix, counts = told["lost objects"]["rows"][0]
    assert (holder, kind) == ("lost native memory", "hidden str")
    assert counts[-1] - counts[0] == pytest.approx(6000, rel=0.05)
    # A text of about 210 characters, with 40 to 56 bytes before it.
    assert 250 < rate / 500 < 290
    assert "missing Py_DECREF" in fix


def test_lost_blocks_in_step_with_a_type_name_it(told):
    by_handle = told["by handle"]
    assert by_handle["rows"][0][0] == "lost native memory"
    said = re.search(
        r"in step with __main__.Handle in (.*): probably (.*) KiB each",
        by_handle["text"],
    )
    assert said[1] == "__main__.program.handles[*]"
    assert float(said[2]) == pytest.approx(500 * BLOCK / 1024, rel=0.02)
    assert by_handle["holders"][0] == 0
    assert "cut lost native memory" not in by_handle["text"]


def test_without_native_memory_growth_says_how_to_get_it(told):
    plain = told["plain"]
    assert plain["needs_native"]
    assert "native=True (--native) say who holds" in plain["text"]
    assert not told["kept"]["needs_native"]
    assert "--native" not in told["kept"]["text"]


def test_what_pointers_cannot_tell_for_sure_has_no_row(told):
    assert [row[:2] for row in told["little"]["rows"]] == []


def test_work_that_keeps_nothing_is_not_looked_at_again(told):
    assert told["let go"]["rows"] == []
    assert not told["let go"]["needs_native"]


@pytest.mark.parametrize(
    "kinds, compared, said",
    [
        ([False, True, True], 2, "snapshot 1 of 3 is left out: it has no native"),
        ([False, False, True], 2, "snapshot 3 of 3 is left out: it has native memory"),
        ([False, True], 2, "the memory of C code looks as if it had grown"),
        ([True, True], 2, ""),
    ],
)
def test_snapshots_with_and_without_native_memory_are_not_compared(
    tmp_path, kinds, compared, said
):
    paths = [tmp_path / f"{index}.lgs" for index in range(len(kinds))]
    for path, native in zip(paths, kinds):
        leakgraph.save_snapshot(path, native=native)
    growth = leakgraph.diff(*paths)
    assert growth.snapshots == compared
    assert said in str(growth)
    assert bool(said) == ("native memory" in str(growth))


def test_watch_says_who_keeps_native_memory(isolated):
    done = isolated("native_watched.py")
    assert done.code == 0, done.err
    assert "__main__.kept[*] accumulates" in done.out
    assert "memory that no object explains" not in done.out
