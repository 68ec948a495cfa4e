"""Collects what a wheel contains for machines that have nothing but CPython.

    python release/bundle.py ROOT FOLDER MACHINE

ROOT is the Debian root of release/wheels_root.sh for a MACHINE such as x86_64, which
has Graphviz, igraph and libmicrohttpd. FOLDER gets:

libs
    Graphviz's plugins and all libraries that they need, except those of glibc.
command
    The library that the command opens to serve pages.
fonts
    One family of fonts with fixed and one with variable width.
licenses
    The licences of all of these and of what is linked statically, and BUNDLED.md, which
    names the Debian package of each file.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

OURS = "opt/leakgraph/lib"
PLUGINS = [
    f"graphviz/libgvplugin_{name}.so.6" for name in ("core", "dot_layout", "pango")
]
SERVER = "libmicrohttpd.so.12"
#: The system has this wherever CPython runs.
GLIBC = "libc6"
FONTS = "fonts-dejavu-core"
FONT_FILES = [
    f"usr/share/fonts/truetype/dejavu/DejaVu{name}.ttf"
    for name in ("Sans", "Sans-Bold", "SansMono", "SansMono-Bold")
]
#: Packages linked statically, and the files that contain them.
LINKED = {
    "libzstd-dev": "`_core`, the command",
    "libxxhash-dev": "`_core`, the command",
    "zlib1g-dev": "`_core`, the command",
    "uthash-dev": "`_core`, the command",
}
#: What release/wheels_libraries.sh builds.
BUILT = {"igraph": "libleakgraph-igraph.so", "libmicrohttpd": SERVER}
COMMON = "usr/share/common-licenses"

HEAD = """\
# What this wheel brings along

Built from these packages of Debian, whose licences are beside this file. `apt-get
source PACKAGE=VERSION` on Debian gets the source of each.

| file | package | version |
| --- | --- | --- |
"""


@dataclass(frozen=True)
class Part:
    """A file of the bundle, and its source package."""

    file: str
    package: str
    version: str


def packages(root: Path) -> dict[str, tuple[str, str]]:
    """Find the source package and its version of each binary package in a root."""
    found = {}
    status = (root / "var/lib/dpkg/status").read_text(encoding="utf-8")
    for entry in status.split("\n\n"):
        fields = dict(re.findall(r"^([\w-]+): (.*)", entry, re.MULTILINE))
        if fields:
            package = str(fields["Package"])
            name, _, version = str(fields.get("Source", package)).partition(" ")
            found[package] = (name, version.strip("()") or str(fields["Version"]))
    return found


def owners(root: Path) -> dict[str, str]:
    """Find the package of each library by its file name."""
    found = {}
    for listed in (root / "var/lib/dpkg/info").glob("*.list"):
        package = listed.stem.split(":")[0]
        for line in listed.read_text(encoding="utf-8").splitlines():
            if ".so" in line:
                found[Path(line).name] = package
    return found


def needed(library: Path) -> list[str]:
    """List the libraries that a library names."""
    listed = subprocess.run(
        ["readelf", "-d", str(library)], check=True, capture_output=True, text=True
    ).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", listed)


def closure(root: Path, machine: str, owner: dict[str, str]) -> Iterator[Path]:
    """Yield the plugins, and all that they need except glibc."""
    theirs = root / f"usr/lib/{machine}-linux-gnu"
    waiting = [theirs / plugin for plugin in PLUGINS]
    seen: set[str] = set()
    while waiting:
        library = waiting.pop()
        if library.name in seen or owner.get(library.name) == GLIBC:
            continue
        seen.add(library.name)
        yield library
        for name in needed(library):
            places = [folder / name for folder in (theirs, root / OURS)]
            waiting.append(next(place for place in places if place.exists()))


def licence_of(root: Path, binary: str, source: str) -> str:
    """Read a package's copyright file."""
    own = root / "src" / source / "debian/copyright"
    where = own if own.exists() else root / "usr/share/doc" / binary / "copyright"
    return where.read_text(encoding="utf-8", errors="replace")


def add_licences(root: Path, to: Path, binaries: dict[str, str]) -> None:
    """Write the licence of each source package, and the texts that it refers to."""
    to.mkdir(parents=True)
    for binary, source in sorted(binaries.items()):
        text = licence_of(root, binary, source)
        (to / f"{source}.txt").write_text(text, encoding="utf-8")
        for name in re.findall(rf"/{COMMON}/([\w-]+(?:\.\d+)?)", text):
            common = root / COMMON / name
            if common.exists():
                shutil.copyfile(common, to / f"{name}.txt")


def add_scripts(to: Path) -> Iterator[Part]:
    """Write d3's licences from this machine; yield its parts."""
    here = packages(Path("/"))
    for document in sorted(Path("/usr/share/doc").glob("node-d3-*/copyright")):
        source, version = here[document.parent.name]
        shutil.copyfile(document, to / f"{source}.txt")
        yield Part("report pages", source, version)


def collect(root: Path, folder: Path, machine: str) -> Iterator[Part]:
    """Copy all files and licences; yield the parts."""
    owner, known = owners(root), packages(root)
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("libs", "fonts", "command"):
        (folder / name).mkdir(parents=True)
    binaries = {name: name for name in BUILT} | {FONTS: known[FONTS][0]}
    binaries |= {name: known[name][0] for name in LINKED}
    for library in sorted(closure(root, machine, owner)):
        shutil.copyfile(library, folder / "libs" / library.name)
        source, version = known[owner[library.name]]
        binaries[owner[library.name]] = source
        yield Part(f"leakgraph-render.libs/{library.name}", source, version)
    for font in FONT_FILES:
        shutil.copyfile(root / font, folder / "fonts" / Path(font).name)
        yield Part(f"leakgraph-render.libs/fonts/{Path(font).name}", *known[FONTS])
    shutil.copyfile(root / OURS / SERVER, folder / "command" / SERVER)
    for name, file in BUILT.items():
        yield Part(file, name, version_of(root / "src" / name))
    for name, file in LINKED.items():
        yield Part(file, *known[name])
    add_licences(root, folder / "licenses/bundled", binaries)
    yield from add_scripts(folder / "licenses/bundled")


def version_of(source: Path) -> str:
    """Return the version of an unpacked source package."""
    first = (source / "debian/changelog").read_text(encoding="utf-8").split("\n")[0]
    found = re.search(r"\((.*?)\)", first)
    assert found, first
    return found[1]


def main() -> int:
    """Make the folder."""
    root, folder = map(Path, sys.argv[1:3])
    parts = list(collect(root, folder, sys.argv[3]))
    rows = "".join(f"| {p.file} | {p.package} | {p.version} |\n" for p in parts)
    (folder / "licenses/BUNDLED.md").write_text(HEAD + rows, encoding="utf-8")
    print(f"bundle: {len(parts)} parts from {len({p.package for p in parts})} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
