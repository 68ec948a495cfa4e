"""Compares the exports of the built shared objects with the headers.

The library exports exactly the LG_API functions of the installed headers. The
extension exports its entry points. The bridge to igraph, which is opened on demand,
exports one function.

Names that files share and no header of the library has begin with lg__: see
CONTRIBUTING.md.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import headers
import tracked

LIBRARY = "libleakgraph.so"
#: The entries for a process that leakgraph attaches to: by ptrace, and by a script.
ATTACHED = {
    "lg_attached",
    "PyInit_leakgraph_attached",
    "PyModExport_leakgraph_attached",
}
MODULE = {"PyInit__core", *ATTACHED}
PLUGINS = ("libleakgraph-igraph.so",)


PARTS = ("libgraph/", "export/", "pyext/")
#: What names begin with that files share and no header of the library has.
PREFIX = "lg__"
#: The entries of programs and of shared objects.
ENTRIES = {"main", "lg_igraph_dominators", *MODULE}


def exports(shared_object: Path) -> set[str]:
    """Names that a shared object defines for others."""
    listed = subprocess.run(
        ["nm", "-D", "--defined-only", "--format=posix", str(shared_object)],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return {line.split()[0].split("@")[0] for line in listed.splitlines()}


def compare(name: str, found: set[str], wanted: set[str]) -> Iterator[str]:
    """Yield the differences between the found and the wanted names."""
    for symbol in sorted(found - wanted):
        yield f"{name} exports {symbol}, which no header promises"
    for symbol in sorted(wanted - found):
        yield f"{name} does not export {symbol}"


def shared_names(build: Path) -> Iterator[tuple[str, str]]:
    """Yield path below its objects and name of what files may share."""
    objects = [path for part in PARTS for path in sorted((build / part).rglob("*.o"))]
    if not objects:
        return
    listed = subprocess.run(
        ["nm", "-A", "--defined-only", "--extern-only", "--format=posix", *objects],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    for line in listed.splitlines():
        path, _, rest = line.partition(": ")
        yield path.partition(".dir/")[2], rest.split()[0]


def check_prefix(root: Path, build: Path) -> Iterator[str]:
    """Yield shared names that no header has and that lack the prefix."""
    public = ENTRIES | headers.exported(root) | headers.shared(root)
    for below, name in shared_names(build):
        if name not in public and not name.startswith(PREFIX):
            yield f"{below}: {name} is shared and does not begin with {PREFIX}"


def check(root: Path, build: Path) -> Iterator[str]:
    """Yield the errors of the shared objects below build."""
    libraries = sorted(build.rglob(LIBRARY))
    plugins = {name: sorted(build.rglob(name)) for name in PLUGINS}
    modules = sorted(build.rglob("_core*.so"))
    for kind, found in (
        (LIBRARY, libraries),
        *plugins.items(),
        ("_core*.so", modules),
    ):
        if not found:
            yield f"{build}: no {kind} was built"
    for path in libraries:
        yield from compare(path.name, exports(path), headers.exported(root))
    for path in modules:
        yield from compare(path.name, exports(path), MODULE)
    for path in (path for paths in plugins.values() for path in paths):
        names = exports(path)
        if len(names) != 1 or not min(names).startswith("lg_"):
            yield f"{path.name} exports {sorted(names)}: one lg_ function is allowed"
    yield from check_prefix(root, build)


if __name__ == "__main__":
    sys.exit(tracked.report("symbols", check(tracked.ROOT, Path(sys.argv[1]))))
