"""Summaries of snapshots, made by another process.

What a comparison needs of a snapshot takes an analysis, and an analysis some 200 bytes
for each object. A process that is watched shall not grow by that.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["summarize"]

#: The first descriptor of the other process that is no standard stream.
FIRST = 3
#: What the other process runs: paths of summaries, one for each descriptor.
CODE = """\
import sys
sys.path.insert(0, sys.argv[1])
from leakgraph._core import load
for number, target in enumerate(sys.argv[2:]):
    load(f"/proc/self/fd/{3 + number}", progress=False).summary(target, progress=False)
"""


def summarize(files: Sequence[int], targets: Sequence[str]) -> bool:
    """Write the summary of each snapshot; files are descriptors.

    False if no other process can: one that Python is embedded in starts none.
    """
    if not os.path.basename(sys.executable or "").startswith("python"):
        return False
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    # Descriptors may be those of other ones in the new process: out of the way first.
    free = FIRST + len(files) + max(files, default=0)
    actions = [(os.POSIX_SPAWN_DUP2, file, free + i) for i, file in enumerate(files)]
    actions += [(os.POSIX_SPAWN_DUP2, free + i, FIRST + i) for i in range(len(files))]
    try:
        child = os.posix_spawn(
            sys.executable,
            [sys.executable, "-I", "-S", "-c", CODE, package, *targets],
            os.environ,
            file_actions=actions,
        )
        _, status = os.waitpid(child, 0)
    except OSError:
        return False
    return status == 0 and all(map(os.path.exists, targets))
