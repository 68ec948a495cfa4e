"""A snapshot with native memory charges it to what keeps it."""

import collections
import io
import json
import os
import pickle
import re
import subprocess
import sys
import zlib

import pytest
from builds import FREE_THREADED, needs

import leakgraph

pytestmark = [
    pytest.mark.ends,
    pytest.mark.skipif(
        FREE_THREADED, reason="a free-threaded build is not captured in a forked child"
    ),
]


@pytest.fixture(scope="module", params=["alone", "busy"])
def told(request, isolated):
    """What a snapshot tells of a program, and what malloc then gets back."""
    done = isolated("native_snapshot.py", request.param)
    assert done.code == 0, done.err
    return json.loads(done.out)


def has_native(snapshot):
    """Whether the facts of a snapshot say that its native memory is listed."""
    return ["native", "inspected"] in [
        x.split() for x in str(snapshot.info()).splitlines()
    ]


#: In 3.9, the collector does not know connections and statements of sqlite3, and they
#: refer to one another where only words tell.
needs_sqlite = pytest.mark.skipif(
    sys.version_info < (3, 10), reason="sqlite3 has no heap types in 3.9"
)


@pytest.mark.parametrize(
    "kept", [pytest.param("database", marks=needs_sqlite), "streams", "handles"]
)
def test_what_is_claimed_goes_when_its_holder_goes(told, kept):
    assert told[kept]["claimed"] == pytest.approx(told[kept]["freed"], rel=0.12)
    assert told[kept]["shallow"] < told[kept]["freed"] / 100


EDITOR = """
import json, readline, leakgraph
LINE = "what a user has typed " * 4
for i in range(3000):
    readline.add_history(f"{LINE}{i:4}")
with leakgraph.snapshot(native=True) as snapshot:
    rows = snapshot.native(limit=1000)
    told = {row.title: int(row.bytes) for row in rows if row.holder == "variables"}
print(json.dumps([3000 * len(LINE), told]))
"""


@needs("readline")
def test_the_history_of_a_line_editor_is_its_librarys():
    done = subprocess.run(
        [sys.executable, "-c", EDITOR], check=True, capture_output=True, text=True
    )
    typed, told = json.loads(done.stdout)
    (title,) = [key for key in told if "readline" in key or "libedit" in key]
    assert title.startswith("library variables lib")
    assert typed < told[title] < 3 * typed


def test_a_saved_snapshot_has_native_memory(tmp_path):
    path = tmp_path / "run.lgs"
    leakgraph.save_snapshot(path, native=True)
    with leakgraph.load(path) as snapshot:
        assert has_native(snapshot)


def test_native_memory_of_a_part_of_the_heap_is_refused():
    with pytest.raises(leakgraph.ArgumentError, match="native=True needs the whole"):
        leakgraph.snapshot(native=True, roots=[object()])


def test_another_malloc_is_told(preload, tmp_path):
    path = tmp_path / "run.lgs"
    code = f"import leakgraph; leakgraph.save_snapshot({str(path)!r}, native=True)"
    environment = {**os.environ, "LD_PRELOAD": preload("bump")}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    with leakgraph.load(path) as snapshot:
        assert "not inspected: another malloc than glibc's" in str(snapshot.info())
        native = snapshot.native()
        assert native.reason.startswith("another malloc than glibc's")
        assert str(native) == f"Native memory was not inspected: {native.reason}.\n"


def test_a_snapshot_with_native_memory_is_compressed(tmp_path):
    path = tmp_path / "run.lgs"
    sizes = [
        leakgraph.save_snapshot(path, native=True, compress=level).bytes
        for level in (3, 0)
    ]
    assert sizes[0] < sizes[1] / 3
    with leakgraph.load(path) as snapshot:
        assert has_native(snapshot)


def test_memory_has_a_line_for_native_memory(told):
    assert told["memory"]["plain"] == 0
    kept = sum(told[kind]["freed"] for kind in ("database", "streams"))
    assert told["memory"]["native"] > 0.88 * kept
    assert told["memory"]["python"] < 1.1 * told["memory"]["plain_python"]


@pytest.mark.parametrize("count", [5000, 60_000], ids=["in a heap", "mapped"])
def test_tables_that_a_size_counts_are_no_native_memory(count):
    words = collections.deque(f"word {number}" for number in range(count))
    pickler = pickle.Pickler(io.BytesIO())
    pickler.dump(list(words))
    with leakgraph.snapshot(native=True) as snapshot:
        assert snapshot.find(words).native == 0
        # Only what the table takes beyond its size may be left.
        assert snapshot.find(pickler).native < sys.getsizeof(pickler) / 10


def blocks(path):
    """How many blocks native nodes of a snapshot stand for."""
    with leakgraph.load(path) as snapshot:
        return sum(int(node.facts.get("blocks", 0)) for node in snapshot.nodes)


def test_a_stripped_copy_keeps_how_many_blocks_there_are(tmp_path):
    whole, stripped = tmp_path / "whole.lgs", tmp_path / "stripped.lgs"
    leakgraph.save_snapshot(whole, native=True)
    command = [sys.executable, "-m", "leakgraph", "strip", whole, "-o", stripped]
    subprocess.run(command, check=True)
    assert blocks(stripped) == blocks(whole) > 0


@pytest.mark.once
def test_without_proc_a_sentence_says_what_is_missing():
    hidden = 'mount -t tmpfs none /proc && exec "$@"'
    command = ["unshare", "-m", "sh", "-c", hidden, "sh"]
    if subprocess.run([*command, "true"], capture_output=True).returncode:
        pytest.skip("nobody may hide /proc here")
    code = "import leakgraph as l; l.snapshot().close(); l.snapshot(native=True)"
    done = subprocess.run(
        [*command, sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=dict(os.environ),
    )
    assert done.stderr.splitlines()[-1] == (
        "leakgraph.UnsupportedError: native memory is found through /proc, which is "
        "not here: mount it, or leave native=True out"
    )


def test_run_lists_native_memory(tmp_path):
    path = tmp_path / "run.lgs"
    (tmp_path / "job.py").write_text("x = 1", encoding="utf-8")
    command = [sys.executable, "-m", "leakgraph", "run", "--native", "--at-exit", path]
    subprocess.run([*command, tmp_path / "job.py"], check=True, env=dict(os.environ))
    with leakgraph.load(path) as snapshot:
        assert has_native(snapshot)


def test_a_picture_has_a_colour_for_native_memory(tmp_path):
    stream = zlib.compressobj()
    colours = []
    for native in (False, True):
        path, picture = tmp_path / f"{native}.lgs", tmp_path / f"{native}.dot"
        leakgraph.save_snapshot(path, native=native)
        command = [sys.executable, "-m", "leakgraph", "render", path, hex(id(stream))]
        subprocess.run([*command, "--dominators", "-o", picture], check=True)
        colours.append("#1B7C83" in picture.read_text(encoding="utf-8"))
    assert colours == [False, True]


def test_top_says_how_to_see_what_c_code_holds():
    code = """
import ctypes, leakgraph
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
kept = [libc.malloc(100_000) for _ in range(400)]
for block in kept:
    ctypes.memset(block, 1, 100_000)
print(leakgraph.snapshot().top())
print("then", leakgraph.snapshot(native=True).top())
"""
    told = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout
    plain, native = told.split("then")
    assert re.search(r"other allocations, in use by C code: \d+\.\d MiB; ", plain)
    assert "native=True (--native) says who holds the other allocations" in plain
    assert "other allocations" not in native
