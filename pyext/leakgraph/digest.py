"""Lets another process find summaries of snapshots, and holders of what grows.

A comparison needs an analysis of each snapshot, which takes some 200 bytes for each
object. A watched process must not grow by that.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from leakgraph.sites import Holders

__all__ = ["find_holders", "summarize"]

#: The first descriptor in the other process after the standard streams.
FIRST = 3
#: The code of the other process. Its arguments are paths of summaries, one for each
#: descriptor.
CODE = """\
import sys
sys.path.insert(0, sys.argv[1])
from leakgraph._core import load
for number, target in enumerate(sys.argv[2:]):
    load(f"/proc/self/fd/{3 + number}", progress=False).summary(target, progress=False)
"""


#: The same for holders. Its arguments are paths and, as JSON, a number of bytes and
#: steps.
HOLDERS = """\
import json, sys
sys.path.insert(0, sys.argv[1])
from leakgraph._core import diff
from leakgraph.sites import holders
count, min_bytes, steps = json.loads(sys.argv[3])
paths = [f"/proc/self/fd/{3 + number}" for number in range(count)]
found = holders(diff(*paths, steps=steps, min_bytes=min_bytes, progress=False))
with open(sys.argv[2], "w") as file:
    json.dump(found, file)
"""


def summarize(files: Sequence[int], targets: Sequence[str]) -> bool:
    """Write the summary of each snapshot; files are descriptors.

    False if no other process can, as in a program that embeds Python.
    """
    return _run(CODE, files, targets) and all(map(os.path.exists, targets))


def find_holders(
    files: Sequence[int],
    target: str,
    steps: Sequence[float] | None,
    min_bytes: int | str,
) -> Holders | None:
    """Compare summaries with a snapshot; find what dominates the newest members.

    `target` is a file for the answer. Returns None if no other process can.
    """
    import json

    asked = json.dumps([len(files), min_bytes, None if steps is None else list(steps)])
    if not _run(HOLDERS, files, [target, asked]):
        return None
    with open(target) as file:
        found: Holders = json.load(file)
    return found


def _run(code: str, files: Sequence[int], arguments: Sequence[str]) -> bool:
    """Run code in a new process that has the files open. Return whether it succeeds."""
    if not os.path.basename(sys.executable or "").startswith("python"):
        return False
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    # First move the descriptors to numbers that the new process does not use.
    free = FIRST + len(files) + max(files, default=0)
    actions = [(os.POSIX_SPAWN_DUP2, file, free + i) for i, file in enumerate(files)]
    actions += [(os.POSIX_SPAWN_DUP2, free + i, FIRST + i) for i in range(len(files))]
    try:
        child = os.posix_spawn(
            sys.executable,
            [sys.executable, "-I", "-S", "-c", code, package, *arguments],
            os.environ,
            file_actions=actions,
        )
        _, status = os.waitpid(child, 0)
    except OSError:
        return False
    return status == 0
