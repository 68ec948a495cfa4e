"""What keeps these bytes alive? Snapshots of CPython's heap, and who holds what.

    import leakgraph

    leakgraph.findings()                       # known mistakes, and their fixes
    leakgraph.top()                            # what retains the most
    leakgraph.memory()                         # where the bytes are
    leakgraph.repeat(function)                 # what grows from call to call
    leakgraph.report("report.html")            # all answers on one page

    leakgraph.why(obj)                         # what keeps it alive, what to cut
    leakgraph.show_refs(obj, "refs.png")       # what this object holds
    leakgraph.show_backrefs(obj, "why.svg")    # what holds this object

    snap = leakgraph.snapshot()                # everything, for many questions
    snap.types(), snap.select("type:dict", min_bytes="1 MiB")
    snap.save("run-{pid}.lgs")                 # for the `leakgraph` command
    leakgraph.load("run-123.lgs")              # the same snapshot, on any machine

No function prints: a prompt shows an answer as text, a notebook as a table or picture.
`python -m leakgraph run SCRIPT` runs a script and saves a snapshot when it exits.
help(leakgraph.why) is about one function; help(leakgraph) goes on with all of them.
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

from leakgraph._core import (
    Account,
    Accounting,
    AccountStack,
    AllocationRow,
    Allocations,
    ArgumentError,
    CancelledError,
    CaptureInfo,
    ChildError,
    ClosedError,
    Cycle,
    CycleCut,
    Cycles,
    DominatorRow,
    Dominators,
    Drawing,
    Dying,
    Edge,
    Edges,
    Error,
    FigureRow,
    Figures,
    FileError,
    Finding,
    FindingHolder,
    Findings,
    Growth,
    GrowthAccount,
    GrowthArea,
    GrowthRow,
    GrowthTally,
    GrowthType,
    Hop,
    Info,
    LimitError,
    MemoryRow,
    MergedPaths,
    MergedRow,
    Native,
    NativeRow,
    Node,
    Nodes,
    NotFoundError,
    PartialError,
    Path,
    PictureError,
    Rank,
    RankRepeat,
    RankRow,
    Ranks,
    Result,
    Root,
    Roots,
    Search,
    SearchRow,
    Size,
    Snapshot,
    Survivor,
    TensorRow,
    Tensors,
    ThreadRow,
    Threads,
    Top,
    TopPart,
    TopRow,
    TypeRow,
    Types,
    UnsupportedError,
    Waste,
    WasteRow,
    WhatIf,
    Why,
    __version__,
    allocations,
    cycles,
    diff,
    dominators,
    export,
    figures,
    findings,
    info,
    keep_memory,
    load,
    memory,
    native,
    paths,
    ranks,
    report,
    retained,
    save_snapshot,
    search,
    show_backrefs,
    show_path,
    show_refs,
    snapshot,
    tensors,
    threads,
    top,
    types,
    waste,
    what_if,
    why,
)

_Mapping.register(Size)
_Sequence.register(Result)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from leakgraph import cuda, fleet
    from leakgraph.armed import Armed, arm, disarm
    from leakgraph.attached import attach
    from leakgraph.buffers import register_buffers, unregister_buffers
    from leakgraph.expect import Uncollected, UncollectedRows, expect_collectable
    from leakgraph.family import Tree, tree
    from leakgraph.frames import Reference
    from leakgraph.leak_text import LeakError, LeakWarning
    from leakgraph.queries import sql
    from leakgraph.repeats import Tracked, repeat, track
    from leakgraph.watch_call import watch
    from leakgraph.watching import Watch

__all__ = [
    "Account",
    "AccountStack",
    "Accounting",
    "AllocationRow",
    "Allocations",
    "ArgumentError",
    "Armed",
    "CancelledError",
    "CaptureInfo",
    "ChildError",
    "ClosedError",
    "Cycle",
    "CycleCut",
    "Cycles",
    "DominatorRow",
    "Dominators",
    "Drawing",
    "Dying",
    "Edge",
    "Edges",
    "Error",
    "FigureRow",
    "Figures",
    "FileError",
    "Finding",
    "FindingHolder",
    "Findings",
    "Growth",
    "GrowthAccount",
    "GrowthArea",
    "GrowthRow",
    "GrowthTally",
    "GrowthType",
    "Hop",
    "Info",
    "LeakError",
    "LeakWarning",
    "LimitError",
    "MemoryRow",
    "MergedPaths",
    "MergedRow",
    "Native",
    "NativeRow",
    "Node",
    "Nodes",
    "NotFoundError",
    "PartialError",
    "Path",
    "PictureError",
    "Rank",
    "RankRepeat",
    "RankRow",
    "Ranks",
    "Reference",
    "Result",
    "Root",
    "Roots",
    "Search",
    "SearchRow",
    "Size",
    "Snapshot",
    "Survivor",
    "TensorRow",
    "Tensors",
    "ThreadRow",
    "Threads",
    "Top",
    "TopPart",
    "TopRow",
    "Tracked",
    "Tree",
    "TypeRow",
    "Types",
    "Uncollected",
    "UncollectedRows",
    "UnsupportedError",
    "Waste",
    "WasteRow",
    "Watch",
    "WhatIf",
    "Why",
    "__version__",
    "allocations",
    "arm",
    "attach",
    "cuda",
    "cycles",
    "diff",
    "disarm",
    "dominators",
    "expect_collectable",
    "export",
    "figures",
    "findings",
    "fleet",
    "info",
    "keep_memory",
    "load",
    "memory",
    "native",
    "paths",
    "ranks",
    "register_buffers",
    "repeat",
    "report",
    "retained",
    "save_snapshot",
    "search",
    "show_backrefs",
    "show_path",
    "show_refs",
    "snapshot",
    "sql",
    "tensors",
    "threads",
    "top",
    "track",
    "tree",
    "types",
    "unregister_buffers",
    "waste",
    "watch",
    "what_if",
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
    return sorted({*__all__, *(name for name in globals() if name[:2] == "__")})
