"""Syncs, builds and tests a copy of the working tree, which mutants may break.

The copy is in build/, so no mutant touches the tree that people work in.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import tracked

# These stop a mutant that never ends, or asks for all memory.
MEMORY = 12 << 30
SLACK = 30.0
SLOWER = 5
#: The seconds of tests that have not run without a mutant.
UNKNOWN = 600.0


class Broken(Exception):
    """The copy does not build without any mutant."""


#: What tests run whose names begin so.
PROGRAMS = {
    "c": ("c_tests",),
    r"export\.page\.script": ("leakgraph_command",),
    "export": ("export_tests",),
    "capture": ("capture_tests",),
    "cli": ("export_tests", "leakgraph_command"),
}


def limit_memory() -> None:
    """Limit the memory of a child process, but not what a browser only reserves."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def targets_of(test: str) -> set[str]:
    """Name what to build for a test, or for the tests that a pattern names."""
    if test.startswith("-"):
        return set()
    if test.startswith("tests/"):
        return {"leakgraph_core", "leakgraph_command"}
    return {
        program
        for prefix, programs in PROGRAMS.items()
        if re.match(rf"\(?([a-z|]+\|)?{prefix}\b", test)
        for program in programs
    }


def without_docstrings(code: str) -> str:
    """Return the code without docstrings, as text."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [  # type: ignore[attr-defined]
                each
                for each in body
                if not (
                    isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
                )
            ]
    return ast.dump(tree)


def is_python(code: str) -> bool:
    """Whether the code has no syntax error."""
    try:
        ast.parse(code)
    except SyntaxError:
        return False
    return True


class WorkCopy:
    """A copy of the tree at `root`, in `place`."""

    def __init__(self, root: Path, place: Path) -> None:
        self.root = root
        self.place = place
        self.build_folder = place / "build" / "make"
        self.durations: dict[tuple[str, ...], float] = {}
        self.objects: dict[str, Path] = {}
        self.compilers: dict[str, list[str]] = {}
        self.originals: dict[str, str] = {}

    def sync(self) -> None:
        """Make the copy equal to the tree; equal files stay untouched."""
        wanted = set(tracked.files(self.root))
        for path in wanted:
            source, copy = self.root / path, self.place / path
            content = source.read_bytes()
            if not copy.is_file() or copy.read_bytes() != content:
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, copy)
        for folder, folders, names in os.walk(self.place):
            kept = {".venv", "__pycache__"}
            kept |= {"build"} if Path(folder) == self.place else set()
            folders[:] = [each for each in folders if each not in kept]
            for name in names:
                path = Path(folder, name).relative_to(self.place)
                if path not in wanted and str(path) != ".venv":
                    (self.place / path).unlink()
        if not (self.place / ".venv").is_symlink():
            (self.place / ".venv").symlink_to(self.root / ".venv")

    def environment(self) -> dict[str, str]:
        """Return the variables that the Makefile sets for tests."""
        paths = [self.build_folder / "bin", self.place / ".venv" / "bin"]
        return {
            **os.environ,
            "PATH": os.pathsep.join([*map(str, paths), os.environ["PATH"]]),
            "PYTHONPATH": str(self.build_folder / "python"),
            "MPLBACKEND": "Agg",
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def run(
        self,
        command: Sequence[str],
        limit: float | None = None,
        folder: Path | None = None,
    ) -> tuple[bool, str]:
        """Run a command; return whether it succeeds in time, and what it printed."""
        process = subprocess.Popen(
            command,
            cwd=folder or self.place,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=limit_memory,
            text=True,
            errors="replace",
        )
        try:
            said, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            return False, "ran too long"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        return process.returncode == 0, said

    def configure(self) -> None:
        """Configure the copy as `make build` does.

        A function that a mutant lets end without a value returns what a register has,
        which may be right by chance. So it does not compile, as in CI. Nothing here
        reads what debuggers read, and half of the time of a build is that.
        """
        strict = "-DCMAKE_C_FLAGS=-Werror=return-type"
        bare = "-DCMAKE_C_FLAGS_DEBUG=-O2"
        good, said = self.run(["cmake", "--preset", "dev", strict, bare])
        if not good:
            raise Broken(f"cmake fails in {self.place}: {said[-2000:]}")
        commands = self.build_folder / "compile_commands.json"
        for entry in json.loads(commands.read_text("utf-8")):
            path = os.path.relpath(entry["file"], self.place)
            self.objects[path] = self.build_folder / entry["output"]
            self.compilers[path] = shlex.split(entry["command"])

    def compiles(self, path: str) -> bool:
        """Whether the compiler accepts the file as it is now; quicker than a build."""
        if path.endswith(".py"):
            return is_python((self.place / path).read_text("utf-8"))
        if path not in self.compilers:
            return True  # a header: only a build tells
        command = [*self.compilers[path], "-fsyntax-only", "-o", os.devnull]
        return self.run(command, 300, self.build_folder)[0]

    def build(self, tests: Iterable[str]) -> tuple[bool, str]:
        """Build what the tests run."""
        targets: set[str] = set()
        for test in tests:
            targets |= targets_of(test)
        return self.run(
            ["cmake", "--build", str(self.build_folder), "--target", *sorted(targets)]
        )

    def test(self, tests: tuple[str, ...]) -> tuple[bool, str]:
        """Whether the tests pass, or else which one failed first."""
        known_to_take = self.durations.get(tests)
        limit = UNKNOWN if known_to_take is None else SLOWER * known_to_take + SLACK
        known = [test for test in tests if not test.startswith(("tests/", "-"))]
        without = [test[1:] for test in tests if test.startswith("-")]
        python = [test for test in tests if test.startswith("tests/")]
        if known:
            names = "^(" + "|".join(known) + ")$"
            ctest = ["ctest", "--test-dir", str(self.build_folder), "-R", names]
            ctest += ["-E", "|".join(without)] if without else []
            ctest += ["--stop-on-failure", "--no-tests=error"]
            good, said = self.run([*ctest, "--timeout", "300"], limit)
            if not good:
                failed = re.search(r"Test +#\d+: (\S+) .*\*\*\*", said)
                return False, failed[1] if failed else said[-300:]
        if python:
            pytest = [sys.executable, "-m", "pytest", "-q", "-x", "--tb=no"]
            good, said = self.run([*pytest, *python], limit)
            if not good:
                failed = re.search(r"^(?:FAILED|ERROR) (\S+)", said, re.MULTILINE)
                return False, failed[1] if failed else said[-300:]
        return True, ""

    def check(self, tests: tuple[str, ...]) -> str:
        """Return which test fails without a mutant, or nothing; note their time."""
        if tests in self.durations:
            return ""
        good, failed = self.build(tests)
        if not good:
            raise Broken(f"the copy does not build: {failed[-2000:]}")
        start = time.monotonic()
        good, failed = self.test(tests)
        if good:
            self.durations[tests] = time.monotonic() - start
        return failed

    def digest(self, path: str) -> str:
        """Identify what the file compiles to; empty if it is not compiled."""
        if path.endswith(".py"):
            code = (self.place / path).read_text("utf-8")
            return hashlib.sha256(without_docstrings(code).encode()).hexdigest()
        compiled = self.objects.get(path)
        if compiled is None or not compiled.is_file():
            return ""
        return hashlib.sha256(compiled.read_bytes()).hexdigest()
