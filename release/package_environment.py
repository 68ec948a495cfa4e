"""Makes the environments of `make packages`, one for each Python."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pythons
import tracked

LIST = tracked.ROOT / "release/packages.txt"
RUNS = tracked.ROOT / "build/packages"
PATIENCE = 900

# Wheels for GPUs need these: gigabytes that nothing here uses.
FOR_GPUS = re.compile(r"nvidia-|cuda-|triton$")


@dataclass(frozen=True)
class Package:
    """A line of the list: what pip installs, and Python code that uses it."""

    names: tuple[str, ...]
    code: str

    @property
    def name(self) -> str:
        """The package itself; the others are what the code also needs."""
        return self.names[0].split("==")[0]

    @property
    def requirements(self) -> list[str]:
        """The arguments for pip."""
        return [os.environ.get("TORCH") or n if n == "torch" else n for n in self.names]


def listed(text: str) -> list[Package]:
    """Read the packages of the list, in its order."""
    lines = [line for line in text.splitlines() if line and line[0] != "#"]
    pairs = [line.split(maxsplit=1) for line in lines]
    return [Package(tuple(names.split("+")), code) for names, code in pairs]


def pip(python: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pip in an environment; a command that takes too long fails."""
    command = [str(python), "-m", "pip", "--no-input", *arguments]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        said = f"ERROR: pip was not done after {PATIENCE} s"
        return subprocess.CompletedProcess(command, 1, "", said)


def reason(done: subprocess.CompletedProcess[str]) -> str:
    """Say why pip failed: its first error, in one line."""
    errors = re.findall(r"^ERROR: (.+)", done.stderr, re.MULTILINE)
    errors.append(f"pip ended with {done.returncode}")
    return str(errors[-2:][0])[:150]


def planned(python: Path, package: Package) -> tuple[list[str], str]:
    """List all that pip would install, or say why it cannot."""
    report = ("install", "--dry-run", "--quiet", "--report", "-")
    binary = ("--only-binary", ":all:")
    done = pip(python, *report, *binary, *package.requirements)
    if done.returncode:
        return [], reason(done)
    plan = json.loads(done.stdout)["install"]
    return [item["metadata"]["name"].lower() for item in plan], ""


def install(python: Path, package: Package) -> str:
    """Install a package and its dependencies; return why not, or ""."""
    names, why_not = planned(python, package)
    if why_not:
        return why_not
    drivers = [name for name in names if FOR_GPUS.match(name)]
    if drivers:
        return f"this wheel brings libraries for GPUs along ({drivers[0]})"
    binary = ("--only-binary", ":all:")
    done = pip(python, "install", "--quiet", *binary, *package.requirements)
    return reason(done) if done.returncode else ""


def environment(folder: Path, base: str) -> Path:
    """Make an empty environment; return its interpreter."""
    python = folder / "venv/bin/python"
    if not (folder / "made").exists():
        subprocess.run([base, "-m", "venv", "--clear", folder / "venv"], check=True)
        (folder / "made").touch()
    return python


def installed(folder: Path, python: Path, package: Package) -> str:
    """Install a package unless that was tried before; return why not, or "".

    Python brings modules of its own along.
    """
    if package.name in sys.stdlib_module_names:
        return ""
    note = folder / f"installed/{package.name}.txt"
    if not note.exists():
        why_not = install(python, package)
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(why_not, encoding="utf-8")
    return note.read_text(encoding="utf-8")


def prepared(one: pythons.Interpreter) -> tuple[Path, Path]:
    """Build leakgraph; return an interpreter's folder of results and environment."""
    folder = RUNS / one.name
    (folder / "answers").mkdir(parents=True, exist_ok=True)
    python = environment(folder, one.path)
    pythons.build(folder / "leakgraph", python)
    return folder, python
