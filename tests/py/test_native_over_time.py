"""Programs whose memory grows in C code, seen by a watch and by another process."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from builds import FREE_THREADED

import leakgraph

pytestmark = [
    pytest.mark.ends,
    pytest.mark.skipif(
        FREE_THREADED, reason="a free-threaded build is not captured in a forked child"
    ),
]

#: The rate of what is told, and how much of all growth others may be charged with.
RATE, INNOCENT = 0.1, 0.05
#: Snapshots of another process, and the calls between two of them.
SNAPSHOTS, CALLS = 4, 4

#: Who keeps what each program allocates, and its type if nobody does.
PLACES = {
    "sessions": ("__main__.program.sessions[*]", ""),
    "contexts": ("__main__.program.contexts[*]", ""),
    "parsers": ("__main__.program.parsers[*]", ""),
    "deflaters": ("__main__.program.deflaters[*]", ""),
    "pointers": ("__main__.program.pointers[*]", ""),
    "lost": ("lost native memory", "608-byte block"),
    "forgotten": ("lost native memory", "__main__.Message"),
    "forgotten_bytes": ("lost native memory", "hidden bytes"),
}
HONEST = [
    *("compress", "closed_sessions", "deleted_rows", "thread_pool", "last_streams"),
    *("all_sizes", "closed_contexts", "ended_parsers", "threads_that_end"),
]
CHOICES = {"leaks": PLACES, "honest": HONEST}


@pytest.fixture(scope="module")
def watched(isolated, compiled):
    """What a watch tells of programs of a kind."""

    def run(kind):
        choice = f"{kind}:{','.join(CHOICES[kind])}"
        module = compiled("native_shapes.c", "-O1")
        done = isolated("native_programs.py", choice, "watch", module)
        assert done.code == 0, done.err
        return json.loads(done.out)

    return run


def line(process, text=""):
    """Send a line, if any, and read one."""
    process.stdin.write(text)
    process.stdin.flush()
    return process.stdout.readline()


@pytest.fixture(scope="module")
def attached(compiled):
    """What snapshots of another process tell of programs of a kind."""
    script = Path(__file__).parent / "isolated/native_programs.py"

    def run(kind):
        choice = f"{kind}:{','.join(CHOICES[kind])}"
        module = compiled("native_shapes.c", "-O1")
        command = [sys.executable, script, choice, "attach", module]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with subprocess.Popen(command, text=True, **pipes) as process:
            assert line(process) == "ready\n"
            snapshots = []
            for _ in range(SNAPSHOTS):
                assert line(process, "go\n") == "done\n"
                snapshots.append(leakgraph.attach(process.pid, native=True))
            told = json.loads(line(process, "\n"))
        growth = leakgraph.diff(*snapshots)
        rows = [
            {
                "holder": row.held_by,
                "type": row.type,
                "rate": row.per_interval / CALLS,
                "minor": row.minor,
                "fix": row.fix,
            }
            for row in growth
        ]
        return {**told, "rows": rows, "text": str(growth)}

    return run


@pytest.fixture(scope="module", params=["watch", "attach"])
def look(request):
    """What one way of looking tells of programs of a kind."""
    if request.param == "watch":
        return request.getfixturevalue("watched")
    try:
        leakgraph.attach(request.getfixturevalue("sleeper")).close()
    except leakgraph.UnsupportedError as error:
        pytest.skip(str(error))
    return request.getfixturevalue("attached")


@pytest.fixture(scope="module")
def sleeper():
    """The number of a process that waits for its end."""
    code = "print(1, flush=True); input()"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code], text=True, **pipes) as process:
        assert process.stdout.readline() == "1\n"
        yield process.pid
        process.stdin.write("\n")


@pytest.fixture(scope="module")
def leaks(look):
    """What is told of the programs that leak."""
    return look("leaks")


def rows_of(told, name):
    """The rows of a program."""
    place, kind = PLACES[name]
    return [
        row
        for row in told["rows"]
        if row["holder"].startswith(place) and kind in ("", row["type"])
    ]


def test_a_process_may_be_forbidden_to_read_its_own_memory(isolated, compiled, preload):
    """A container may filter process_vm_readv out; types are read all the same."""
    names = ["lost", "forgotten_bytes"]
    module = compiled("native_shapes.c", "-O1")
    choice = f"leaks:{','.join(names)}"
    filtered = {"LD_PRELOAD": preload("filtered")}
    done = isolated("native_programs.py", choice, "watch", module, **filtered)
    assert done.code == 0, done.err
    told = json.loads(done.out)
    for name in names:
        rate = sum(row["rate"] for row in rows_of(told, name))
        assert rate == pytest.approx(told["truth"][name], rel=RATE)


@pytest.mark.parametrize("name", PLACES)
def test_the_holder_is_told_with_its_rate(leaks, name):
    if name == "sessions" and sys.version_info < (3, 10):
        pytest.skip("the collector of 3.9 knows no connections")
    rate = sum(row["rate"] for row in rows_of(leaks, name))
    assert rate == pytest.approx(leaks["truth"][name], rel=RATE)


def test_lost_references_have_their_fix(leaks):
    for name, wanted in {
        "lost": False,
        "forgotten": True,
        "forgotten_bytes": True,
    }.items():
        (row,) = rows_of(leaks, name)
        assert ("Py_DECREF" in row["fix"]) == wanted


def test_others_are_charged_with_nothing(leaks):
    known = [row for name in PLACES for row in rows_of(leaks, name)]
    others = sum(row["rate"] for row in leaks["rows"] if row not in known)
    assert others <= INNOCENT * sum(row["rate"] for row in leaks["rows"])


def test_programs_that_keep_nothing_are_not_accused(look):
    """Of two blocks that a program asks for alike, one may have 16 bytes more."""
    rows = [row for row in look("honest")["rows"] if not row["minor"]]
    assert [row for row in rows if row["rate"] > 16] == []
