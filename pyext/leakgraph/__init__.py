"""What keeps these bytes alive? Snapshots of CPython's heap, and who holds what.

    import leakgraph

Five calls to begin with:

    leakgraph.findings()                       # known mistakes, and their fixes
    leakgraph.top()                            # what retains the most
    leakgraph.why(obj)                         # what keeps it alive, what to cut
    leakgraph.repeat(function)                 # what grows from call to call
    leakgraph.report("report.html")            # all answers on one page

Then, for a closer look:

    leakgraph.memory()                         # where the bytes are
    leakgraph.show_refs(obj, "refs.png")       # what this object holds
    leakgraph.show_backrefs(obj, "why.svg")    # what holds this object

    snap = leakgraph.snapshot()                # everything, for many questions
    snap.types(), snap.select("type:dict", min_bytes="1 MiB")
    snap.save("run-{pid}.lgs")                 # for the `leakgraph` command
    leakgraph.load("run-123.lgs")              # the same snapshot, on any machine

No function prints: a prompt shows an answer as text, a notebook as a table or picture.
`python -m leakgraph run SCRIPT` runs a script and saves a snapshot when it exits.

help(leakgraph.why) explains one function, help(leakgraph.Snapshot) all questions that a
snapshot answers. dir(leakgraph) lists every name: watch() and arm() for services and
long jobs, attach() for other processes, expect_collectable() for tests, and many more.
"""

import os as _os
import sys as _sys
from _collections_abc import Mapping as _Mapping
from _collections_abc import Sequence as _Sequence

if _sys.platform != "linux" or _os.uname().machine not in ("x86_64", "aarch64"):
    raise ImportError(
        "leakgraph reads the heap of CPython on Linux, x86-64 or aarch64, and there is"
        f" no support for this machine ({_sys.platform})"
    )

from leakgraph import _core
from leakgraph._core import *
from leakgraph._core import Error, Result, Size
from leakgraph._core import __version__ as __version__

_Mapping.register(Size)
_Sequence.register(Result)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from leakgraph import cuda as cuda
    from leakgraph import fleet as fleet
    from leakgraph.armed import Armed as Armed
    from leakgraph.armed import arm as arm
    from leakgraph.armed import disarm as disarm
    from leakgraph.attached import attach as attach
    from leakgraph.buffers import register_buffers as register_buffers
    from leakgraph.buffers import unregister_buffers as unregister_buffers
    from leakgraph.expect import Uncollected as Uncollected
    from leakgraph.expect import UncollectedRows as UncollectedRows
    from leakgraph.expect import expect_collectable as expect_collectable
    from leakgraph.family import Tree as Tree
    from leakgraph.family import tree as tree
    from leakgraph.frames import Reference as Reference
    from leakgraph.leak_text import LeakError as LeakError
    from leakgraph.leak_text import LeakWarning as LeakWarning
    from leakgraph.queries import sql as sql
    from leakgraph.repeats import Tracked as Tracked
    from leakgraph.repeats import repeat as repeat
    from leakgraph.repeats import track as track
    from leakgraph.watch_call import watch as watch
    from leakgraph.watching import Watch as Watch

#: What help() explains and `from leakgraph import *` takes: the calls to begin with.
#: Others, such as `types` and `Path`, have names that programs use otherwise.
__all__ = [
    "findings",
    "load",
    "memory",
    "repeat",
    "report",
    "show_backrefs",
    "show_refs",
    "snapshot",
    "top",
    "why",
]

#: Modules that are imported when a program asks for a name of theirs: most never are.
_LATER = {
    "Armed": "armed",
    "LeakError": "leak_text",
    "LeakWarning": "leak_text",
    "Reference": "frames",
    "Tracked": "repeats",
    "Tree": "family",
    "Uncollected": "expect",
    "UncollectedRows": "expect",
    "Watch": "watching",
    "arm": "armed",
    "attach": "attached",
    "disarm": "armed",
    "expect_collectable": "expect",
    "load_ipython_extension": "magics",
    "register_buffers": "buffers",
    "repeat": "repeats",
    "sql": "queries",
    "track": "repeats",
    "tree": "family",
    "unregister_buffers": "buffers",
    "watch": "watch_call",
}
#: Modules that programs use as a whole.
_MODULES = ("cuda", "fleet")


def __getattr__(name: str) -> object:
    """Import a name that has a module of its own."""
    if name not in _LATER and name not in _MODULES:
        raise AttributeError(f"module 'leakgraph' has no attribute '{name}'")
    try:
        from importlib import import_module

        module = import_module("leakgraph." + _LATER.get(name, name))
    except ImportError as error:
        if not _sys.is_finalizing():
            raise
        raise Error(
            f"leakgraph.{name} can no longer be imported, because the interpreter "
            "is ending: use it earlier."
        ) from error
    return module if name in _MODULES else getattr(module, name)


def __dir__() -> list[str]:
    """List all public names, also those that are imported when a program asks."""
    here = {name for name in globals() if name[:2] == "__"}
    core = {name for name in vars(_core) if name[0] != "_"}
    hooks = {"__dir__", "__getattr__", "load_ipython_extension"}
    return sorted({*here, *core, *_LATER, *_MODULES} - hooks)
