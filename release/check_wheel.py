"""Checks that a wheel holds only the package, the command and what they load.

    python release/check_wheel.py WHEEL...
    python release/check_wheel.py --alone WHEEL...

Several wheels, such as those built from a checkout and from an sdist, must have the
same files. With --alone, the wheels are for machines that have nothing but several
versions of CPython: each also holds libraries and fonts with their licences, and only
the bridge contains igraph.
"""

import re
import sys
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

NEEDED = (
    r"leakgraph/__init__\.py",
    r"leakgraph/_core\.[\w-]+\.so",
    r"leakgraph/libleakgraph-igraph\.so",
    r"leakgraph/leakgraph-render",
    r"leakgraph/py\.typed",
    r"leakgraph-[^/]+\.data/scripts/leakgraph",
    r"leakgraph-[^/]+\.data/data/share/man/man1/leakgraph\.1",
    r"leakgraph-[^/]+\.dist-info/METADATA",
    r"leakgraph-[^/]+\.dist-info/licenses/LICENSE",
)
WANTED = (
    *NEEDED,
    r"leakgraph/\w+\.pyi?",
    r"leakgraph-[^/]+\.data/data/share/man/man1/leakgraph-[\w-]+\.1",
    r"leakgraph-[^/]+\.dist-info/(WHEEL|RECORD|entry_points\.txt)",
    r"leakgraph-[^/]+\.dist-info/licenses/\w+\.md",
)

BESIDE = "leakgraph/leakgraph-render.libs/"
LICENCES = "dist-info/licenses/"
#: What a wheel also needs to work alone.
ALONE = (
    BESIDE + r"libgvc\.so\.\d+",
    BESIDE + r"libgvplugin_dot_layout\.so\.\d+",
    BESIDE + r"libgvplugin_pango\.so\.\d+",
    r"leakgraph/libmicrohttpd\.so\.12",
    BESIDE + r"fonts\.conf",
    BESIDE + r"fonts/DejaVuSans\.ttf",
    BESIDE + r"fonts/DejaVuSansMono\.ttf",
    r"leakgraph-[^/]+\.dist-info/licenses/BUNDLED\.md",
    r"leakgraph-[^/]+\.dist-info/licenses/bundled/igraph\.txt",
    r"leakgraph-[^/]+\.dist-info/licenses/bundled/libmicrohttpd\.txt",
)
#: The only file that may contain igraph, which is under the GPL.
BRIDGE = "leakgraph/libleakgraph-igraph.so"
#: A message of igraph.
IGRAPH = b"likely a bug in igraph"
WANTED_ALONE = (
    BESIDE + r"lib[\w.+-]+\.so[.\d]*",
    BESIDE + r"fonts/[\w-]+\.ttf",
    r"leakgraph-[^/]+\.dist-info/licenses/bundled/[\w.+-]+\.txt",
    r".*/",
)


def check(names: Iterable[str], alone: bool = False) -> Iterator[str]:
    """Yield a sentence for each file that is missing or does not belong there."""
    names = set(names)
    needed = (*NEEDED, *ALONE) if alone else NEEDED
    wanted = (*WANTED, *needed, *WANTED_ALONE) if alone else WANTED
    for name in sorted(names):
        if not any(re.fullmatch(pattern, name) for pattern in wanted):
            yield f"{name} does not belong in a wheel: do not install it"
    for pattern in needed:
        if not any(re.fullmatch(pattern, name) for name in names):
            yield f"nothing in the wheel is named {pattern}: install it"


def check_licences(names: Iterable[str], bundled: str) -> Iterator[str]:
    """Yield a sentence for each part that BUNDLED.md omits or that has no licence."""
    rows = re.findall(r"^\| (\S.*?) \| (\S+) \| \S+ \|$", bundled, re.MULTILINE)
    parts = dict(rows[2:])  # skips the table's head
    packages = set(parts.values())
    licensed = set()
    for name in sorted(names):
        file = name.removeprefix("leakgraph/") if name.startswith(BESIDE) else ""
        if file.endswith((".ttf", *"0123456789")) and file not in parts:
            yield f"{name} is not in BUNDLED.md: release/bundle.py must say where from"
        if f"{LICENCES}bundled/" in name:
            licensed.add(name.rpartition("/")[2].removesuffix(".txt"))
    for package in sorted(packages - licensed):
        yield f"{package} has no licence in the wheel: release/bundle.py must add it"


def check_igraph(parts: Iterable[tuple[str, bytes]]) -> Iterator[str]:
    """Yield a sentence for each part that contains igraph, except the bridge."""
    for name, data in parts:
        if name == BRIDGE and IGRAPH not in data:
            yield f"{name} has no igraph inside: link it statically"
        if name != BRIDGE and IGRAPH in data:
            yield f"{name} has igraph inside, which is under the GPL: only {BRIDGE} may"


def problems_of(wheel: str, alone: bool) -> Iterator[str]:
    """Yield the errors of one wheel."""
    held = zipfile.ZipFile(wheel)
    yield from check(held.namelist(), alone)
    if alone:
        yield from check_igraph((name, held.read(name)) for name in held.namelist())
    for name in held.namelist():
        if name.endswith(f"{LICENCES}BUNDLED.md"):
            yield from check_licences(held.namelist(), held.read(name).decode())


def differences(wheels: list[str]) -> Iterator[str]:
    """Yield each file that only some of the wheels hold."""
    held = {wheel: set(zipfile.ZipFile(wheel).namelist()) for wheel in wheels}
    first = held[wheels[0]]
    for wheel, names in held.items():
        for name in sorted(first ^ names):
            yield f"{name}: {wheels[0]} and {wheel} differ: only one of them has it"


def main(arguments: list[str]) -> int:
    """Check each wheel and compare them."""
    alone = "--alone" in arguments
    wheels = [word for word in arguments if word != "--alone"]
    problems = [
        f"{Path(wheel).name}: {problem}"
        for wheel in wheels
        for problem in problems_of(wheel, alone)
    ]
    if not alone:
        problems += differences(wheels)
    count = len(zipfile.ZipFile(wheels[0]).namelist())
    print("\n".join(problems) or f"wheel: {count} files, as they should be")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
