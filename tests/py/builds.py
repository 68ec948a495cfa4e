"""Tells which build of CPython runs the tests, and which method captures it."""

import os
import sysconfig

import pytest

#: The environment asks for the fall-back on public calls.
PUBLIC = os.environ.get("LEAKGRAPH_CAPTURE") == "public"

#: Other threads run Python code at the same time.
FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))

needs_fork = pytest.mark.skipif(
    FREE_THREADED, reason="a free-threaded build is not captured in a forked child"
)
