"""Which build of CPython the tests run on, and by which method it is captured."""

import os
import sysconfig

import pytest

#: The fall-back on public calls was asked for.
PUBLIC = os.environ.get("LEAKGRAPH_CAPTURE") == "public"

#: Other threads run Python code at the same time.
FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))

needs_fork = pytest.mark.skipif(
    FREE_THREADED, reason="a free-threaded build is not captured in a forked child"
)
