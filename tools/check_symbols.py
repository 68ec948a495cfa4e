"""Compares the exports of the built shared objects with the headers.

Each library exports exactly the LG_API functions of its headers. The extension exports
its entry points. The bridge to igraph, which is opened on demand, exports one function.

The prefix of a shared name says which files may use it: see CONTRIBUTING.md.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import headers
import tracked

LIBRARIES = {"libleakgraph.so": "libgraph", "libleakgraph-pictures.so": "export"}
#: lg_attached is the entry for a process that leakgraph attaches to.
MODULE = {"PyInit__core", "lg_attached"}
PLUGINS = ("libleakgraph-igraph.so",)


#: A part, a folder below it, the prefixes that its shared names have, and those that
#: they do not have. The first line that fits counts.
PREFIXES = (
    ("libgraph/", "", ("lg__",), ()),
    ("export/", "", ("lg__",), ()),
    ("pyext/", "binding/", ("",), ("lg_",)),
    ("pyext/", "", ("lg_",), ("lg__",)),
)
#: The entry of a program, and that of the bridge to igraph.
ENTRIES = {"main", "lg_igraph_dominators"}


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


def shared_names(build: Path) -> Iterator[tuple[str, str, str]]:
    """Yield part, path below its objects, and name of what files may share."""
    parts = {part for part, *_ in PREFIXES}
    objects = [path for part in sorted(parts) for path in (build / part).rglob("*.o")]
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
        part, _, below = path.removeprefix(f"{build}/").partition(".dir/")
        yield part, below, rest.split()[0]


def check_prefixes(root: Path, build: Path) -> Iterator[str]:
    """Yield shared names that break the rule of their part."""
    public = ENTRIES.union(
        *(headers.exported(root, part) for part in LIBRARIES.values())
    )
    for part, below, name in shared_names(build):
        wanted, unwanted = next(
            (wanted, unwanted)
            for start, folder, wanted, unwanted in PREFIXES
            if part.startswith(start) and below.startswith(folder)
        )
        if name not in public and (
            not name.startswith(wanted) or name.startswith(unwanted)
        ):
            yield f"{below}: {name} has not the prefix of its part"


def check(root: Path, build: Path) -> Iterator[str]:
    """Yield the errors of the shared objects below build."""
    libraries = {name: sorted(build.rglob(name)) for name in LIBRARIES}
    plugins = {name: sorted(build.rglob(name)) for name in PLUGINS}
    modules = sorted(build.rglob("_core*.so"))
    for kind, found in (
        *libraries.items(),
        *plugins.items(),
        ("_core*.so", modules),
    ):
        if not found:
            yield f"{build}: no {kind} was built"
    for path in (path for paths in libraries.values() for path in paths):
        promised = headers.exported(root, LIBRARIES[path.name])
        yield from compare(path.name, exports(path), promised)
    for path in modules:
        yield from compare(path.name, exports(path), MODULE)
    for path in (path for paths in plugins.values() for path in paths):
        names = exports(path)
        if len(names) != 1 or not min(names).startswith("lg_"):
            yield f"{path.name} exports {sorted(names)}: one lg_ function is allowed"
    yield from check_prefixes(root, build)


if __name__ == "__main__":
    sys.exit(tracked.report("symbols", check(tracked.ROOT, Path(sys.argv[1]))))
