"""What keeps these bytes alive? Snapshots of CPython's heap, and who holds what.

    import leakgraph

    leakgraph.show_refs(obj, "refs.png")       # what does it hold
    leakgraph.show_backrefs(obj, "why.svg")    # who holds it
    leakgraph.show_path(obj)                   # how a root reaches it

    snap = leakgraph.snapshot()                # everything, to be asked at leisure
    snap.types()
    snap.show_path("type:torch.Tensor")
    snap.save("run-{pid}.lgs")                 # read on by the `leakgraph` command

Nothing prints by itself: a terminal shows a drawing as text, a notebook as a picture.
`python -m leakgraph run SCRIPT` runs a script and saves a snapshot when it ends.
"""

import os as _os
import sys as _sys

if _sys.platform != "linux" or _os.uname().machine not in ("x86_64", "aarch64"):
    raise ImportError(
        "leakgraph reads the heap of CPython on Linux, x86-64 or aarch64, and has"
        f" not learnt to do so on this machine ({_sys.platform})"
    )

from leakgraph._core import (
    ArgumentError,
    CancelledError,
    CaptureInfo,
    ClosedError,
    Drawing,
    Edge,
    Edges,
    Error,
    FileError,
    Info,
    LimitError,
    Node,
    Nodes,
    NotFoundError,
    PartialError,
    Report,
    Root,
    Roots,
    Snapshot,
    TypeRow,
    TypeTable,
    UnsupportedError,
    __version__,
    load,
    save_snapshot,
    show_backrefs,
    show_path,
    show_refs,
    snapshot,
)

__all__ = [
    "ArgumentError",
    "CancelledError",
    "CaptureInfo",
    "ClosedError",
    "Drawing",
    "Edge",
    "Edges",
    "Error",
    "FileError",
    "Info",
    "LimitError",
    "Node",
    "Nodes",
    "NotFoundError",
    "PartialError",
    "Report",
    "Root",
    "Roots",
    "Snapshot",
    "TypeRow",
    "TypeTable",
    "UnsupportedError",
    "__version__",
    "load",
    "save_snapshot",
    "show_backrefs",
    "show_path",
    "show_refs",
    "snapshot",
]
