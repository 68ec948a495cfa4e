"""What a wheel holds: the package, the command and what they load, nothing else.

    python tools/check_wheel.py WHEEL...

Several wheels, such as those built from a checkout and from an sdist, hold the same.
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
    """A sentence for each file that is too much, too few, or no part of a package."""
    names = set(names)
    for name in sorted(names):
        if not any(re.fullmatch(pattern, name) for pattern in WANTED):
            yield f"{name} does not belong in a wheel: do not install it"
    for pattern in NEEDED:
        if not any(re.fullmatch(pattern, name) for name in names):
            yield f"nothing in the wheel is named {pattern}: install it"


def main(wheels: list[str]) -> int:
    """Checks each wheel and compares them."""
    held = {wheel: set(zipfile.ZipFile(wheel).namelist()) for wheel in wheels}
    problems = [
        f"{Path(wheel).name}: {problem}"
        for wheel, names in held.items()
        for problem in check(names)
    ]
    first = held[wheels[0]]
    for wheel, names in held.items():
        for name in sorted(first ^ names):
            problems.append(f"{name}: {wheels[0]} and {wheel} differ in having it")
    print("\n".join(problems) or f"wheel: {len(first)} files, all wanted")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
