"""Failures, and their messages."""

import copy
import os
import pickle
import signal
import sys
import threading

import pytest

import leakgraph


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (leakgraph.ArgumentError, ValueError),
        (leakgraph.ClosedError, ValueError),
        (leakgraph.NotFoundError, LookupError),
        (leakgraph.FileError, OSError),
        (leakgraph.LimitError, MemoryError),
        (leakgraph.CancelledError, Exception),
        (leakgraph.PartialError, Exception),
        (leakgraph.UnsupportedError, Exception),
        (leakgraph.ChildError, ChildProcessError),
        (leakgraph.PictureError, Exception),
    ],
)
def test_classes(error, builtin):
    assert issubclass(error, leakgraph.Error) and issubclass(error, builtin)
    assert error.__module__ == "leakgraph" and error.__doc__


def test_missing_file(tmp_path):
    with pytest.raises(leakgraph.FileError, match=r"nowhere\.lgs"):
        leakgraph.load(tmp_path / "nowhere.lgs")


@pytest.mark.skipif(
    sys.getfilesystemencoding() != "utf-8", reason="any name can be decoded"
)
def test_a_file_whose_name_is_not_utf_8(tmp_path):
    with pytest.raises(leakgraph.FileError, match=r"no\\x80where\.lgs"):
        leakgraph.load(os.path.join(tmp_path, "no\udc80where.lgs"))


def test_not_ours(tmp_path):
    path = tmp_path / "x.lgs"
    for content in (b"", b"not a snapshot", b"\0" * 4096, os.urandom(4096)):
        path.write_bytes(content)
        with pytest.raises(leakgraph.FileError, match=r"x\.lgs"):
            leakgraph.load(path)


def test_damaged(tmp_path):
    whole = leakgraph.snapshot(roots=[sys.modules], max_depth=3)
    path = tmp_path / "x.lgs"
    whole.save(path, compress=0)
    data = path.read_bytes()
    for cut in (10, 100, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:cut])
        with pytest.raises(leakgraph.FileError):
            leakgraph.load(path)
    for at in range(0, len(data), max(1, len(data) // 50)):
        path.write_bytes(data[:at] + bytes([data[at] ^ 0x40]) + data[at + 1 :])
        try:
            loaded = leakgraph.load(path)
        except leakgraph.FileError:
            continue
        # Only padding between sections may have any content.
        assert loaded.column("edge_target") == whole.column("edge_target")


def test_a_failed_save_leaves_the_old_file(tmp_path, snap):
    path = tmp_path / "folder.lgs"
    path.mkdir()
    with pytest.raises(leakgraph.FileError):
        snap.save(path)
    assert list(tmp_path.iterdir()) == [path] and list(path.iterdir()) == []
    with pytest.raises(leakgraph.FileError):
        leakgraph.save_snapshot(tmp_path / "no" / "such" / "folder.lgs")


def test_limit():
    with pytest.raises(leakgraph.LimitError, match="max_bytes"):
        leakgraph.snapshot(max_bytes=100_000)
    with pytest.raises(MemoryError):
        leakgraph.snapshot(max_bytes=1)


@pytest.mark.parametrize("level", [-1, 20, 1 << 70])
def test_compress_out_of_range(snap, tmp_path, level):
    with pytest.raises((leakgraph.ArgumentError, OverflowError)):
        snap.save(tmp_path / "x.lgs", compress=level)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "options",
    [
        {"roots": 17},
        {"roots": "text"},
        {"max_depth": "3"},
        {"max_bytes": 1.5},
        {"depth": 3},
        {"progress": "yes"},
    ],
    ids=str,
)
def test_wrong_options(options):
    with pytest.raises(TypeError):
        leakgraph.snapshot(**options)


def test_no_roots_at_all():
    with pytest.raises(ValueError, match="roots is empty"):
        leakgraph.snapshot(roots=[])


@pytest.mark.parametrize("copier", [copy.copy, copy.deepcopy, pickle.dumps])
def test_cannot_be_copied(snap, copier):
    for thing in (snap, snap.nodes, snap.roots, snap.types()):
        with pytest.raises(TypeError, match="pickle"):
            copier(thing)


def test_what_is_pickled_needs_a_file():
    edge = leakgraph.snapshot().edges[0]
    for thing in (edge, edge.source):
        with pytest.raises(leakgraph.Error, match="was never saved: call"):
            pickle.dumps(thing)


def test_positional_options_are_refused():
    with pytest.raises(TypeError, match="positional"):
        leakgraph.snapshot(True)


def test_wrong_paths(snap):
    for path in (None, 17, ["x"]):
        with pytest.raises(TypeError):
            snap.save(path)
        with pytest.raises(TypeError):
            leakgraph.load(path)
    with pytest.raises(ValueError, match="null"):
        leakgraph.load("a\0b")


def test_exceptions_of_the_arguments_pass():
    class Bad:
        def __bool__(self):
            raise ZeroDivisionError

        def __index__(self):
            raise ZeroDivisionError

        def __fspath__(self):
            raise ZeroDivisionError

    for call in (
        lambda: leakgraph.snapshot(previews=Bad()),
        lambda: leakgraph.snapshot(max_depth=Bad()),
        lambda: leakgraph.load(Bad()),
        lambda: leakgraph.show_refs([], Bad()),
        lambda: leakgraph.show_refs([], weak=Bad()),
    ):
        with pytest.raises(ZeroDivisionError):
            call()


def test_ctrl_c_stops_the_work():
    """The caller sees the exception of the handler."""

    class Stopped(Exception):
        pass

    def handler(number, frame):
        raise Stopped

    def progress(phase, done):
        os.kill(os.getpid(), signal.SIGUSR1)

    old = signal.signal(signal.SIGUSR1, handler)
    try:
        with pytest.raises(Stopped):
            leakgraph.snapshot(progress=progress)
    finally:
        signal.signal(signal.SIGUSR1, old)


def test_works_off_the_main_thread(tmp_path):
    result = []
    thread = threading.Thread(
        target=lambda: result.append(leakgraph.save_snapshot(tmp_path / "t.lgs"))
    )
    thread.start()
    thread.join()
    assert result[0].nodes > 1000


def test_a_subinterpreter_is_refused(python):
    code = """
import sys, types
try:
    import _interpreters as interpreters
    run = interpreters.exec
except ImportError:
    import _xxsubinterpreters as interpreters
    run = interpreters.run_string
import leakgraph
number = interpreters.create()
script = '''
try:
    import leakgraph
except ImportError as error:
    text = str(error)
else:
    text = "imported"
import os
os.write(1, text.encode())
'''
run(number, script)
interpreters.destroy(number)
"""
    done = python("-c", code)
    assert done.code == 0, done.err
    assert "interpreter" in done.out


def test_other_platforms_are_refused_in_one_sentence(python):
    code = "import sys; sys.platform = 'plan9'; import leakgraph"
    done = python("-c", code)
    assert done.code == 1
    last = done.err.strip().splitlines()[-1]
    assert last.startswith("ImportError: leakgraph") and "plan9" in last
