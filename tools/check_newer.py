"""Checks that leakgraph compiles for a CPython that is newer than all it knows.

It pretends to be CPython 3.99: with the headers of the newest interpreter found, but
another version, and without the internal headers, which such a release may change. Each
file that reads the internals of known versions must compile there, as public calls.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pythons
import tracked

#: Older headers lack public functions that replace the internals.
LEAST = (3, 13)
ROOMS = re.compile(r"set\(internal_rooms\s+(.*?)\)", re.DOTALL)
OPTIONS = (
    *("-fsyntax-only", "-std=gnu11", "-D_GNU_SOURCE"),
    *("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wstrict-prototypes", "-Werror"),
)
FOLDERS = ("pyext", "libgraph/include", "export/include")


def sources() -> list[Path]:
    """List the files that may include the internal headers."""
    lists = tracked.ROOT / "pyext" / "CMakeLists.txt"
    found = ROOMS.search(lists.read_text(encoding="utf-8"))
    if found is None:
        raise SystemExit("newer: pyext/CMakeLists.txt has no internal_rooms")
    folders = [tracked.ROOT / room for room in found[1].split()]
    return sorted(path for folder in folders for path in folder.glob("*.c"))


def pretend(headers: Path, to: Path) -> None:
    """Make headers of a CPython 3.99, whose internals nobody knows."""
    for path in headers.iterdir():
        if path.name == "patchlevel.h":
            text = re.sub(
                r"(#define PY_MINOR_VERSION\s+)\d+", r"\g<1>99", path.read_text()
            )
            (to / path.name).write_text(text)
        elif path.name == "internal":
            (to / path.name).mkdir()
        else:
            (to / path.name).symlink_to(path)


def problem(source: Path, headers: Path) -> str:
    """Return what the compiler says against a file; nothing if it compiles."""
    folders = [f"-I{tracked.ROOT / folder}" for folder in FOLDERS]
    command = ["cc", *OPTIONS, *folders, "-isystem", str(headers), str(source)]
    return subprocess.run(command, capture_output=True, text=True).stderr


def newest_headers() -> tuple[str, Path] | None:
    """Find the newest interpreter with headers that will do."""
    found = [one for one in pythons.installed(sys.executable) if one.version >= LEAST]
    if not found:
        return None
    code = "import sysconfig; print(sysconfig.get_path('include'))"
    newest = found[-1]
    done = subprocess.run([newest.path, "-c", code], capture_output=True, text=True)
    return newest.name, Path(done.stdout.strip())


def problems(headers: Path, files: list[Path]) -> list[str]:
    """Return what the compiler says against these files for such a CPython."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as workers:
        pretend(headers, Path(folder))
        said = workers.map(lambda source: problem(source, Path(folder)), files)
        return [text for text in said if text]


def main() -> int:
    """Compile them all; return 1 if one does not compile."""
    found = newest_headers()
    if found is None:
        least = ".".join(map(str, LEAST))
        print(f"newer: needs CPython {least} or newer with headers, in PATH or pyenv")
        return 1
    name, headers = found
    files = sources()
    wrong = problems(headers, files)
    for text in wrong:
        print(text, end="")
    verdict = f"{len(wrong)} of {len(files)} files wrong" if wrong else "fine"
    print(f"newer: {verdict}, with the headers of CPython {name} as 3.99")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
