"""The public method passes the same oracle, except for its documented limits."""

import os
import pathlib
import re
import sys

import pytest
from builds import NEWER

import leakgraph

HERE = pathlib.Path(__file__).parent
SUITE = [
    "test_oracle_kinds.py",
    "test_oracle_process.py",
    "test_observer.py",
    "test_sizes.py",
    "test_frames.py",
    "test_native_holders.py",
]

pytestmark = pytest.mark.skipif(
    os.environ.get("LEAKGRAPH_CAPTURE") == "public", reason="this is that run"
)


#: These have no internal method, because their collector differs from that of 3.14.5,
#: and the tests covered only 3.14.4.
UNTESTED = (3, 14) <= sys.version_info < (3, 14, 4)


def test_the_internals_are_recognised_here():
    method = leakgraph.snapshot().method
    if NEWER:
        assert method.endswith(" is newer than this leakgraph")
    else:
        assert method.startswith("public: CPython 3.14.0" if UNTESTED else "internal")


# Pretend that another release moved the collector's state: change the offsets for
# debuggers (_Py_DebugOffsets.interpreter_state.gc; Include/internal, 3.13 and 3.14).
MISMATCH = """
import ctypes, sys
offsets = (ctypes.c_uint64 * 12).in_dll(ctypes.pythonapi, "_PyRuntime")
offsets[11 if sys.version_info >= (3, 14) else 10] += 8
import leakgraph
snapshot = leakgraph.snapshot()
print(snapshot.method)
print(len(snapshot) > 1000, snapshot.find(leakgraph) is not None)
"""


@pytest.mark.skipif(
    sys.version_info < (3, 13) or UNTESTED or NEWER,
    reason="no offsets to compare before 3.13, in untested releases and in newer ones",
)
def test_other_internals_are_noticed_and_announced(python):
    done = python("-c", MISMATCH)
    assert done.code == 0, done.err
    reason = "the interpreter's state is not laid out as it should be"
    assert done.out == f"public: {reason}\nTrue True\n"
    assert "RuntimeWarning: leakgraph uses only public calls of this" in done.err
    assert f"({reason}): snapshots lack frozen objects" in done.err
    refused = python("-W", "error", "-c", MISMATCH)
    assert refused.code == 1 and "RuntimeWarning" in refused.err


# Pretend that this is 3.14.1: the release is a constant, on a page that must be
# unlocked.
RELEASE = """
import ctypes, mmap
release = ctypes.c_ulong.in_dll(ctypes.pythonapi, "Py_Version")
page = ctypes.addressof(release) & -mmap.PAGESIZE
libc = ctypes.CDLL(None)
assert libc.mprotect(ctypes.c_void_p(page), 2 * mmap.PAGESIZE, 3) == 0
release.value = 0x030E01F0
import leakgraph
snapshot = leakgraph.snapshot()
print(snapshot.method)
print(len(snapshot) > 1000, snapshot.find(leakgraph) is not None)
"""


@pytest.mark.skipif(
    sys.version_info < (3, 14) or NEWER, reason="all releases are told in one way"
)
def test_releases_that_nobody_tested_are_announced(python):
    done = python("-c", RELEASE)
    assert done.code == 0, done.err
    reason = "CPython 3.14.0 to 3.14.3 are not tested, later ones are"
    assert done.out == f"public: {reason}\nTrue True\n"
    assert f"({reason}): snapshots lack frozen objects" in done.err
    assert len(done.err.splitlines()) <= 2, done.err


def test_the_public_method_says_so(python):
    code = "import leakgraph; print(leakgraph.snapshot().method)"
    done = python("-c", code, LEAKGRAPH_CAPTURE="public")
    assert done.out == "public: asked for by LEAKGRAPH_CAPTURE\n"


def test_the_suite_of_the_capture(python):
    done = python(
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-m",
        "not libraries",
        *(HERE / name for name in SUITE),
        timeout=600,
        LEAKGRAPH_CAPTURE="public",
        PYTHONPATH=os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]),
    )
    assert done.code == 0, done.out[-3000:] + done.err[-1000:]
    passed = re.search(r"(\d+) passed", done.out)
    assert passed and int(passed.group(1)) > 250, done.out[-500:]
