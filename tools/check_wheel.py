"""Checks that a wheel holds the package, the command and what they load, only.

    python tools/check_wheel.py WHEEL...

Several wheels, such as those built from a checkout and from an sdist, must hold the
same.
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
    r"leakgraph-[^/]+\.dist-info/METADATA",
    r"leakgraph-[^/]+\.dist-info/licenses/LICENSE",
)
WANTED = (
    *NEEDED,
    r"leakgraph/\w+\.pyi?",
    r"leakgraph-[^/]+\.dist-info/(WHEEL|RECORD|entry_points\.txt)",
    r"leakgraph-[^/]+\.dist-info/licenses/\w+\.md",
)


def check(names: Iterable[str]) -> Iterator[str]:
    """Yield a sentence for each file that is missing or does not belong there."""
    names = set(names)
    for name in sorted(names):
        if not any(re.fullmatch(pattern, name) for pattern in WANTED):
            yield f"{name} does not belong in a wheel: do not install it"
    for pattern in NEEDED:
        if not any(re.fullmatch(pattern, name) for name in names):
            yield f"nothing in the wheel is named {pattern}: install it"


def main(wheels: list[str]) -> int:
    """Check each wheel and compare them."""
    held = {wheel: set(zipfile.ZipFile(wheel).namelist()) for wheel in wheels}
    problems = [
        f"{Path(wheel).name}: {problem}"
        for wheel, names in held.items()
        for problem in check(names)
    ]
    first = held[wheels[0]]
    for wheel, names in held.items():
        for name in sorted(first ^ names):
            problems.append(
                f"{name}: {wheels[0]} and {wheel} differ: only one of them has it"
            )
    print("\n".join(problems) or f"wheel: {len(first)} files, as they should be")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
