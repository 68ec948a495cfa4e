"""The check that leakgraph compiles for a newer CPython can fail."""

import sysconfig
from pathlib import Path

import check_newer
import pytest

HEADERS = Path(sysconfig.get_path("include"))


@pytest.fixture
def found(tmp_path):
    """Return what the check says of a file with these lines."""

    def check(*lines):
        source = tmp_path / "source.c"
        source.write_text("\n".join(["#include <Python.h>", *lines, ""]))
        return check_newer.problems(HEADERS, [source])

    return check


def test_what_uses_public_calls_is_fine(found):
    assert found("int answer(void) { return PyGC_IsEnabled(); }") == []


def test_the_version_is_one_that_nobody_knows(found):
    assert found("#if PY_VERSION_HEX < 0x03630000", "#error known", "#endif") == []


@pytest.mark.parametrize(
    "line",
    [
        '#include "internal/pycore_gc.h"',
        '#include "capture/cpython/compat.h"',
        "#if PY_VERSION_HEX >= 0x03100000\n#error new\n#endif",
        "int answer(PyInterpreterState *state) { return state->gc.enabled; }",
    ],
)
def test_what_reads_internals_is_found(found, line):
    (text,) = found(line)
    assert "error: " in text


def test_all_files_of_the_capture_are_checked():
    names = {path.name for path in check_newer.sources()}
    assert {"selfcheck.c", "roots.c", "running.c", "greenlet.c"} <= names
    assert all(path.exists() for path in check_newer.sources())
