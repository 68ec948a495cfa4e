"""Builds the extension and runs its tests on every other CPython found.

An interpreter is looked for on PATH (python3.9 to python3.13) and among pyenv's.
It counts if it runs and has its headers. Each gets a build folder and a small
virtual environment with pytest and numpy; tests marked `libraries` are left to
the main one.
"""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import tracked

VERSIONS = [(3, minor) for minor in range(9, 14)]

PROBE = """
import os, platform, sys, sysconfig
header = os.path.join(sysconfig.get_path("include"), "Python.h")
ok = platform.python_implementation() == "CPython" and os.path.exists(header)
if ok and not sysconfig.get_config_var("Py_GIL_DISABLED"):
    print(sys.version_info[0], sys.version_info[1], sys.executable)
"""


def probe(command: Path | str) -> tuple[tuple[int, int], str] | None:
    """Version and path of an interpreter, if it can build extensions."""
    try:
        result = subprocess.run(
            [str(command), "-c", PROBE], capture_output=True, text=True, timeout=30
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    words = result.stdout.split(maxsplit=2)
    if result.returncode or len(words) != 3:
        return None
    return (int(words[0]), int(words[1])), words[2].strip()


def interpreters() -> dict[tuple[int, int], str]:
    """One interpreter for each version there is, this one's left out."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    candidates: list[Path | str] = sorted(pyenv.glob("versions/*/bin/python3"))
    candidates += [f"python{major}.{minor}" for major, minor in VERSIONS]
    found: dict[tuple[int, int], str] = {}
    for candidate in candidates:
        answer = probe(candidate)
        if answer and answer[0] in VERSIONS and answer[0] != sys.version_info[:2]:
            found.setdefault(*answer)
    return dict(sorted(found.items()))


def environment(version: str, python: str) -> Path:
    """The interpreter of a virtual environment with what the tests need."""
    folder = tracked.ROOT / f".venv-{version}"
    inside = folder / "bin/python"
    stamp = folder / "installed.txt"
    if not stamp.exists():
        subprocess.run([python, "-m", "venv", "--clear", str(folder)], check=True)
        install = ["-m", "pip", "install", "-qq", "pytest", "numpy"]
        subprocess.run([str(inside), *install], check=True)
        stamp.touch()
    return inside


def build(version: str, python: Path) -> Path:
    """Build the extension; the folder it was built in."""
    folder = tracked.ROOT / f"build/py{version}"
    define = [f"-DPython_EXECUTABLE={python}", "-DLEAKGRAPH_TESTS=OFF"]
    define.append(f"-DLEAKGRAPH_WERROR={os.environ.get('WERROR', 'OFF')}")
    configure = ["cmake", "-S", ".", "-B", str(folder), "-G", "Ninja", *define]
    subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", str(folder)], check=True)
    return folder


def test(python: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the tests that every Python must pass."""
    settings = os.environ | {
        "PYTHONPATH": str(folder / "python"),
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
    }
    command = [str(python), "-m", "pytest", "-q", "-m", "not libraries", "tests/py"]
    junit = f"--junitxml={folder / 'junit-py.xml'}"
    return subprocess.run(
        [*command, junit], env=settings, capture_output=True, text=True
    )


def main() -> int:
    """Build for all of them in turn, test two at a time; 1 if any failed."""
    os.chdir(tracked.ROOT)
    built = {}
    for (major, minor), python in interpreters().items():
        version = f"{major}.{minor}"
        print(f"== CPython {version}: build", flush=True)
        inside = environment(version, python)
        built[version] = (inside, build(version, inside))
    failed = []
    with ThreadPoolExecutor(max_workers=2) as pool:
        runs = {name: pool.submit(test, *made) for name, made in built.items()}
        for version, run in runs.items():
            done = run.result()
            print(
                f"== CPython {version}: tests\n{done.stdout}{done.stderr}", flush=True
            )
            if done.returncode:
                failed.append(version)
    names = ", ".join(built) or "none"
    print(f"other CPythons: {names}; failed: {', '.join(failed) or 'none'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
