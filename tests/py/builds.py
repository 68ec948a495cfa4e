"""Tells which build of CPython runs the tests, and which method captures it."""

import importlib.util
import os
import sys
import sysconfig

import pytest

#: Newer than leakgraph, which is built there without the internals. What no public call
#: tells is missing: the attributes of instances have no names, for example.
NEWER = sys.version_info >= (3, 16)

#: leakgraph falls back on public calls, because the environment asks for that, or the
#: interpreter is newer than leakgraph or one of those that nobody has tried.
PUBLIC = (
    os.environ.get("LEAKGRAPH_CAPTURE") == "public"
    or NEWER
    or (3, 14) <= sys.version_info < (3, 14, 4)
)

#: Other threads run Python code at the same time.
FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))

#: The collector looks at young objects more often than at old ones.
GENERATIONS = not FREE_THREADED

#: malloc or pymalloc has all memory of objects, and says what it has given out. A
#: free-threaded build takes it from mimalloc.
ACCOUNTS = not FREE_THREADED

#: Follows close() in code that then looks for the memory: without the GIL, another
#: thread may be reading, so the memory goes with the last reference.
DROPPED = "del snapshot" if FREE_THREADED else "pass"

needs_fork = pytest.mark.skipif(
    FREE_THREADED, reason="a free-threaded build is not captured in a forked child"
)


needs_attributes = pytest.mark.skipif(
    NEWER, reason="no public call names the attributes of instances"
)

needs_generations = pytest.mark.skipif(
    not GENERATIONS, reason="the collector of this build has no generations"
)


def needs(module):
    """Mark a test whose own processes import a module.

    pytest.importorskip() would import it here, where later snapshots would have it.
    """
    return pytest.mark.skipif(
        importlib.util.find_spec(module) is None,
        reason=f"{module} is not installed",
    )
