"""Runs the stress of tests/py/test_versions.py under ThreadSanitizer.

    python tools/tsan.py PYTHON

PYTHON needs a build with --disable-gil --with-thread-sanitizer; `make matrix
MATRIX=--tsan` makes one. This script builds the extension for it with
-fsanitize=thread. Then threads change the heap while the tests take snapshots of it. It
fails for reports that contain one of our functions, and only counts those of the
interpreter alone. It uses no suppressions. First, ThreadSanitizer must report the
intended race of a library of three lines.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pythons
import tracked

FOLDER = tracked.ROOT / "build/tsan"
FLAGS = "-DCMAKE_C_FLAGS=-fsanitize=thread -g"
STRESS = ["-k", "snapshots or two_threads", "tests/py/test_versions.py"]
RACY = "long count; void bump(void) { for (int i = 0; i < 10000000; i++) count++; }\n"
CONTROL = """
import ctypes, sys, threading
library = ctypes.CDLL(sys.argv[1])
together = threading.Barrier(3)
def bump():
    together.wait()
    library.bump()
threads = [threading.Thread(target=bump) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""
REPORT = re.compile(r"WARNING: ThreadSanitizer: .*?SUMMARY: [^\n]*", re.DOTALL)
OURS = re.compile(r"\((?:_core\.|libleakgraph)|/(?:pyext|libgraph|export)/")


def reports(folder: Path) -> list[str]:
    """Split the output into the sanitizer's reports."""
    texts = (path.read_text(errors="replace") for path in sorted(folder.glob("log.*")))
    return [report for text in texts for report in REPORT.findall(text)]


def divided(found: list[str]) -> tuple[list[str], list[str]]:
    """Separate the reports with one of our functions in them from the others."""
    ours = [report for report in found if OURS.search(report)]
    return ours, [report for report in found if not OURS.search(report)]


def run(*command: str | Path) -> tuple[int, list[str]]:
    """Run a command; return its exit status and its reports."""
    for old in FOLDER.glob("log.*"):
        old.unlink()
    options = f"log_path={FOLDER / 'log'} exitcode=0 history_size=7"
    settings = pythons.settings(FOLDER / "build") | {"TSAN_OPTIONS": options}
    status = subprocess.run(list(map(str, command)), env=settings).returncode
    return status, reports(FOLDER)


def is_watching(python: Path) -> bool:
    """Whether ThreadSanitizer reports a real race."""
    source, library = FOLDER / "racy.c", FOLDER / "racy.so"
    source.write_text(RACY, encoding="utf-8")
    flags = ["-g", "-fsanitize=thread", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, "-o", library, source], check=True)
    return any("bump" in report for report in run(python, "-c", CONTROL, library)[1])


def main() -> int:
    """Build, run, and print the reports; return 1 if one is ours."""
    os.chdir(tracked.ROOT)
    inside = pythons.environment(FOLDER / "venv", sys.argv[1], "pytest")
    pythons.build(FOLDER / "build", inside, FLAGS)
    if not is_watching(inside):
        print("ThreadSanitizer: it does not report an intended race")
        return 1
    status, found = run(inside, "-m", "pytest", "-q", *STRESS)
    ours, others = divided(found)
    for report in ours:
        print(report + "\n")
    print(
        f"ThreadSanitizer: tests ended with {status}; {len(ours)} reports with our "
        f"code, {len(others)} of the interpreter alone"
    )
    return 1 if status or ours else 0


if __name__ == "__main__":
    sys.exit(main())
