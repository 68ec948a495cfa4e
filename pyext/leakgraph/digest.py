"""Lets another process find summaries of snapshots, and what only a snapshot tells.

A comparison needs an analysis of each snapshot, which takes some 200 bytes for each
object. A watched process must not grow by that.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from leakgraph.sites import Holders

__all__ = ["Leaks", "look_closely", "summarize"]

#: For each place that is a row where rows of one leak are one: its text, and the bytes
#: that it gained with what goes with it.
Leaks = dict[str, tuple[str, int]]

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


#: The same for what only a snapshot tells. Its arguments are paths and, as JSON, a
#: number of files and options of diff().
CLOSELY = """\
import json, sys
sys.path.insert(0, sys.argv[1])
from leakgraph._core import diff
from leakgraph.leak_text import leak
from leakgraph.sites import holders
count, options = json.loads(sys.argv[3])
paths = [f"/proc/self/fd/{3 + number}" for number in range(count)]
growth = diff(*paths, progress=False, **options)
leaks = {row.place: (leak(row), row.gained) for row in growth}
with open(sys.argv[2], "w") as file:
    json.dump([holders(growth), leaks], file)
"""


def summarize(files: Sequence[int], targets: Sequence[str]) -> bool:
    """Write the summary of each snapshot; files are descriptors.

    False if no other process can, as in a program that embeds Python.
    """
    return _run(CODE, files, targets) and all(map(os.path.exists, targets))


def look_closely(
    files: Sequence[int], target: str, options: dict[str, Any]
) -> tuple[Holders, Leaks] | None:
    """Compare summaries with a snapshot, with these options of diff().

    Returns what dominates the newest members, and the rows when what goes together is
    one row; None if no other process can. `target` is a file for the answer.
    """
    import json

    if not _run(CLOSELY, files, [target, json.dumps([len(files), options])]):
        return None
    with open(target) as file:
        holders, leaks = json.load(file)
    return holders, leaks


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
