"""Lists the files of the project, and reports the errors of a check."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def files(root: Path, *suffixes: str) -> list[Path]:
    """List files that git tracks or would track, relative to root, sorted."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=root, capture_output=True, text=True)
    except FileNotFoundError:
        raise SystemExit("git is not installed, and it lists the files") from None
    if listed.returncode:
        raise SystemExit(f"git lists the files, in a clone: {listed.stderr.strip()}")
    paths = [Path(name) for name in sorted(set(listed.stdout.split("\0"))) if name]
    return [
        path
        for path in paths
        if (root / path).is_file() and (not suffixes or path.suffix in suffixes)
    ]


def report(name: str, problems: Iterable[str]) -> int:
    """Print the errors; return the exit status of a check."""
    found = list(problems)
    for problem in found:
        print(problem)
    if found:
        print(f"{name}: {len(found)} wrong")
        return 1
    print(f"{name}: fine")
    return 0


def run(name: str, check: Callable[[Path], Iterable[str]]) -> None:
    """Run a check on the project and exit with its status."""
    sys.exit(report(name, check(ROOT)))
