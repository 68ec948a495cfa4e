"""Tells which build of CPython runs the tests, and which method captures it."""

import importlib.util
import os
import sysconfig

import pytest

#: The environment asks for the fall-back on public calls.
PUBLIC = os.environ.get("LEAKGRAPH_CAPTURE") == "public"

#: Other threads run Python code at the same time.
FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))

#: Follows close() in code that then looks for the memory: without the GIL, another
#: thread may be reading, so the memory goes with the last reference.
DROPPED = "del snapshot" if FREE_THREADED else "pass"

needs_fork = pytest.mark.skipif(
    FREE_THREADED, reason="a free-threaded build is not captured in a forked child"
)


def needs(module):
    """Mark a test whose own processes import a module.

    pytest.importorskip() would import it here, where later snapshots would have it.
    """
    return pytest.mark.skipif(
        importlib.util.find_spec(module) is None,
        reason=f"{module} is not installed",
    )
