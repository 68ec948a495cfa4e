"""The public method, forced, passes the same oracle, less what it documents."""

import os
import pathlib
import re

import pytest

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


def test_the_internals_are_recognised_here():
    assert leakgraph.snapshot().method == "internal"


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
