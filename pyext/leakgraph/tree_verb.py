"""The verb `tree` of the command."""

from __future__ import annotations

import os
import sys

from leakgraph.family import gather
from leakgraph.run import fail, say

__all__ = ["OPTIONS", "USAGE", "tree_verb"]

USAGE = """\
Usage: leakgraph tree PID [-o DIR] [--json] [--min-bytes SIZE] [--timeout S]

Attaches to a running Python and to all processes below it, one after the other, as
`leakgraph attach` does. Prints what each process holds, what forked children have
copied of the memory that they shared, how children of one kind differ, and who keeps
shared memory. The exit code is 4 if attaching to one of them fails.

  -o DIR            save the snapshots there as {pid}.lgs; without it, keep none
  --json            print everything as JSON
  --min-bytes SIZE  count a smaller place as part of the place above it (1MiB)
  --timeout S       give up on a process that reaches no safe point in S seconds (30)
  --filtered        attach even if a seccomp filter may end the process

Example:
  leakgraph tree 4711 -o snapshots
"""

#: The options of the verb, and what each needs.
OPTIONS = {
    "-o": "a folder",
    "--json": "",
    "--min-bytes": "a size",
    "--timeout": "a number of seconds",
    "--filtered": "",
}
INCOMPLETE = 4


def tree_verb(options: dict[str, str], words: list[str]) -> int:
    """Do what the command line asks for. Return the exit code."""
    if len(words) != 1 or not words[0].isdigit() or len(words[0]) > 9:
        fail("tree takes the number of a process: see leakgraph tree --help")
    timeout = options.get("--timeout", "30")
    if not timeout.isdigit() or int(timeout) < 1 or len(timeout) > 5:
        fail(f"tree: --timeout needs {OPTIONS['--timeout']}, not {timeout}")
    found = gather(
        int(words[0]),
        options.get("-o"),
        options.get("--min-bytes", "1MiB"),
        (int(timeout), "--filtered" in options, None),
        say,
    )
    try:
        print(found.json, end="") if "--json" in options else print(found)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return INCOMPLETE if any(not one.foreign for one in found.left_out) else 0
